// SPDX-License-Identifier: GPL-2.0-or-later

package import CommandLineInterface

extension OptionGroup {
    package static let device = OptionGroup(
        "device options",
        introduction: "The commands that talk to a device accept these:",
        screen: .ofEach
    ) { DeviceSpec.options }

    package static let link = OptionGroup(
        "link options",
        introduction: "The same commands accept these, and change the link before they send anything:",
        screen: .only(having: .changesLink, of: "link")
    ) { LinkSettingsSpec.options }

    package static let global = OptionGroup(
        "global options",
        introduction: "Every command accepts these:",
        screen: .ofProgram
    ) { GlobalSpec.options }
}

extension CommandName {
    /// Whether a step with the command has a device.
    package var hasDevice: Bool { spec.groups.contains(.device) }
}
