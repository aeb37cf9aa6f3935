// SPDX-License-Identifier: GPL-2.0-or-later

/// The table's row for `blectl adapters`.
public enum AdaptersSpec {
    static let command = CommandSpec(
        .adapters,
        summary: "list the Bluetooth adapters and what keeps one from being used",
        discussion: [
            """
            Shows each adapter of this machine: its address, its state, whether Low Energy is on, its bus, its \
            version, who manages it, its manufacturer and what it can do. For one that cannot be used, the reason is given and \
            what to do about it.
            """,
            """
            The kernel does not tell who manages an adapter: a process that is named as one of the programs that do, such as \
            bluetoothd, is taken for the manager of all adapters, and `unmanaged` says that none was seen.
            """,
        ],
        examples: [
            CommandExample("blectl adapters", "which adapters there are"),
            CommandExample("blectl adapters --json", "the same for a script"),
        ],
        seeAlso: [.adapter, .scan]
    )
}
