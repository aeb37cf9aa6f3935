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
            Prints the identity address of each device, the kinds of keys that are kept, the level that a link with \
            them has, and the time of the pairing. Keys that bluetoothd or another manager keeps are not among them.
            """,
            """
            The keys are in `$XDG_STATE_HOME/blectl/bonds`, by default in `~/.local/state`; those of simulated devices are \
            in `$XDG_STATE_HOME/blectl/simulated/bonds`. A file that is damaged is an error that names it, and is left \
            as it is.
            """,
        ],
        options: [revealKeys.spec],
        groups: [.global],
        examples: [
            CommandExample("blectl bonds", "the devices, and what is kept of each"),
            CommandExample("blectl bonds --json", "the same for a program"),
        ],
        seeAlso: [.pair, .unpair]
    )
}
