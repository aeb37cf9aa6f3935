// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Toolkit

extension DoctorCommand {
    static let spec = CommandSpec(
        commandName,
        [.common, .radio, .forItsOutput],
        summary: "find out why Bluetooth does not work, and what to type",
        discussion: [
            """
            Prints a line for each check: a mark, the check, what was found and what it means, and what mends it. A \
            check mark (`+` without Unicode) is well; a cross (`x`) keeps a scan or connection from working; `!` \
            works, but may get in the way; `-` could not be checked.
            """,
            "The checks, in their order: " + checks + ".",
            """
            With several adapters (`-i all`), checks of the machine are reported once, and those of each adapter after \
            them. The status is 0 if a scan and a connection would work with each; otherwise that of the scan, or else \
            the connection, and the last lines name the first obstacle.
            """,
            """
            It changes nothing: it asks the controller for its version and commands, starts a passive scan that it \
            ends at once, tries whether its folders have room, and reads `/sys`, `/proc` and, for packages of \
            firmware, `/etc`.
            """,
        ],
        groups: [.global],
        examples: [
            "blectl doctor": "what is wrong, if anything",
            "blectl doctor --adapter hci0": "the same for one adapter",
            "blectl doctor --json": "the findings for a program",
            "blectl --simulate --simulate-adapter le-off doctor": "for an adapter without Low Energy on",
        ],
        seeAlso: [.adapters, .adapter, .scan]
    )

    private static var checks: String {
        DoctorCheck.allCases.map { "`\($0.rawValue)` (\($0.summary))" }.joined(separator: ", ")
    }
}
