// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Toolkit

extension BondsCommand {
    static let revealKeys = Option(
        flag: "reveal-keys",
        summary: "print the keys themselves",
        details: "With them, anyone can decrypt the links to the device and impersonate it."
    )

    static let spec = CommandSpec(
        commandName,
        [.keptDevices, .forItsOutput],
        summary: "list the devices that blectl has the keys of",
        discussion: [
            """
            Prints the identity address of each device, the kinds of its keys, the level of a link with them, and the \
            time of the pairing, without keys that bluetoothd or another manager keeps.
            """,
            """
            Keys are in `bonds` of `$XDG_STATE_HOME/blectl`, those of simulated devices in `simulated/bonds` there. \
            The error for a damaged file names it, and leaves it as it is.
            """,
        ],
        options: [revealKeys.spec],
        groups: [.global],
        examples: [
            "blectl bonds": "the devices, and what is kept of each",
            "blectl bonds --json": "the same for a program",
        ],
        seeAlso: [.pair, .unpair]
    )
}
