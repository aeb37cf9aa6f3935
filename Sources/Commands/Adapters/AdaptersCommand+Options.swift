// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Toolkit

extension AdaptersCommand {
    static let spec = CommandSpec(
        commandName,
        [.radio, .forItsOutput],
        summary: "list the Bluetooth adapters and their troubles",
        discussion: [
            """
            Shows each adapter of this machine: its address, its state, whether Low Energy is on, its bus, its \
            version, its manager, its manufacturer and its features. If an adapter cannot be used, it also shows the \
            reason and the remedy.
            """,
            """
            The kernel does not name the manager of an adapter. A running process with the name of a known manager, \
            such as bluetoothd, is taken for the manager of all adapters; `unmanaged` means that none was found.
            """,
        ],
        groups: [.global],
        examples: [
            CommandExample("blectl adapters", "which adapters there are"),
            CommandExample("blectl adapters --json", "the same for a script"),
        ],
        seeAlso: [.adapter, .doctor, .scan]
    )
}
