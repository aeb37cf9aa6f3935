// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Toolkit

extension VersionCommand {
    static let spec = CommandSpec(
        commandName,
        [.forItsOutput],
        summary: "print the version",
        discussion: ["Prints the version of blectl and the library that it is linked with, as `--version` does."],
        groups: [.global],
        examples: ["blectl version": "the version"]
    )
}
