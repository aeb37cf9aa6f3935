// SPDX-License-Identifier: GPL-2.0-or-later

/// The table's row for `blectl adapters`.
public enum AdaptersSpec {
    static let command = CommandSpec(
        .adapters,
        summary: "list the Bluetooth adapters and what keeps one from being used",
        discussion: [
            """
            Shows each adapter of this machine: its address, its state, its bus, its manufacturer and what it can \
            do. For one that cannot be used, the reason is given and what to do about it.
            """
        ],
        examples: [
            CommandExample("blectl adapters", "which adapters there are"),
            CommandExample("blectl adapters --json", "the same for a script"),
        ],
        seeAlso: [.scan]
    )
}
