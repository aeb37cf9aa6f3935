// SPDX-License-Identifier: GPL-2.0-or-later

package import CommandLineInterface

extension OptionGroup {
    package static let device = OptionGroup(
        "device-options",
        title: "device options",
        summary: "the options of commands that talk to a device",
        introduction: "Commands that talk to a device accept:"
    ) { DeviceSpec.options }

    package static let link = OptionGroup(
        "link-options",
        title: "link options",
        summary: "the options that change the properties of a link",
        introduction: "The same commands change the link by these before they send anything:"
    ) { LinkSettingsSpec.options }

    package static let global = OptionGroup(
        "options",
        title: "global options",
        summary: "the options of every command",
        introduction: "Every command accepts these:"
    ) { GlobalSpec.options }
}

extension CommandName {
    /// Whether a step with the command has a device.
    package var hasDevice: Bool { spec.groups.contains(.device) }
}
