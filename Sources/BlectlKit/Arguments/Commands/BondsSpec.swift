// SPDX-License-Identifier: GPL-2.0-or-later

/// The table's row for `blectl bonds`.
public enum BondsSpec {
    static let revealKeys = Option(
        flag: "reveal-keys",
        summary: "print the keys themselves",
        details: "With them, anyone can decrypt the links to the device and impersonate it."
    )

    static let command = CommandSpec(
        .bonds,
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
        examples: [
            CommandExample("blectl bonds", "the devices, and what is kept of each"),
            CommandExample("blectl bonds --json", "the same for a program"),
        ],
        seeAlso: [.pair, .unpair]
    )
}

/// The table's row for `blectl unpair`.
public enum UnpairSpec {
    /// `DEVICE`
    public static let device = Argument(
        optional: .device("DEVICE"),
        excludes: ["all"],
        summary: "the address or the name of the device"
    )

    static let all = Option(
        flag: "all",
        summary: "all devices that blectl has the keys of",
        details: """
            Those of the adapter that is used and, without `--adapter`, of adapters that the machine has no more. Those of \
            its other adapters are named, and stay.
            """
    )

    static let command = CommandSpec(
        .unpair,
        summary: "forget the keys of a device",
        discussion: [
            """
            Takes the keys from the kernel, ends the link, and removes them from the file of bonds. Nothing is sent to the \
            device: it has to forget the pairing, too, before it pairs again.
            """,
            """
            A bond with an adapter that is gone is only in the file, and is removed there; `--adapter` takes its address. \
            If some of several bonds cannot be removed, the others are, and the error names those that are left.
            """,
            """
            It needs the capability `CAP_NET_ADMIN`. If another program keeps the keys, such as bluetoothd, the kernel \
            tells it, and it forgets them as well.
            """,
        ],
        arguments: [device.spec],
        options: [all.spec],
        examples: [
            CommandExample("sudo blectl unpair --all", "forget all pairings")
        ],
        seeAlso: [.bonds, .pair]
    )
}
