// SPDX-License-Identifier: GPL-2.0-or-later

extension VersionCommand {
    static let spec = CommandSpec(
        commandName,
        [.forItsOutput],
        summary: "print the version",
        discussion: ["Prints the version of blectl and the library that it is linked with, as `--version` does."],
        examples: [CommandExample("blectl version", "the version")]
    )
}
