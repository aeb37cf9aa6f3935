// SPDX-License-Identifier: GPL-2.0-or-later

/// The table's row for `blectl devices`.
public enum DevicesSpec {
    static let command = CommandSpec(
        .devices,
        summary: "list the devices that blectl knows",
        discussion: [
            """
            Prints each device of which something is kept on this machine: when it was heard and connected to last, whether its \
            attributes are in the cache, whether there are keys of it, and the session that has a link to it. Nothing is sent.
            """,
            """
            Devices to which any program has a link come first, with the adapter of the link: the kernel lists them, for which \
            `CAP_NET_ADMIN` is needed.
            """,
            """
            A device that is known is connected to without a scan, if it is named by its address. Devices whose addresses change \
            with time are not remembered, unless there are keys of them. Of simulated devices, only attributes and keys are kept.
            """,
        ],
        examples: [
            CommandExample("blectl devices", "what is known"),
            CommandExample("blectl devices --format '{device.address}'", "the addresses, for a script"),
        ],
        seeAlso: [.forget, .bonds, .session, .scan]
    )
}

/// The table's row for `blectl forget`.
public enum ForgetSpec {
    /// `DEVICE`
    public static let device = Argument(
        optional: .device("DEVICE"),
        excludes: ["all"],
        summary: "the address or the name of the device"
    )

    static let all = Option(
        flag: "all",
        summary: "all devices that 'blectl devices' lists"
    )

    static let command = CommandSpec(
        .forget,
        summary: "forget what was found out about a device",
        discussion: [
            """
            Removes the attributes of the device from the cache, with the note that it takes no exchange of the MTU, and its \
            name, the type of its address and the times from the list of devices. The next command finds out anew: it scans for the device, and discovers its attributes.
            """,
            """
            Keys are kept, because without them the device has to be paired again, and because the device has its half of them: \
            `blectl unpair` removes them. A session goes on; `blectl session stop` ends it.
            """,
        ],
        arguments: [device.spec],
        options: [all.spec],
        examples: [
            CommandExample("blectl forget --all", "begin anew")
        ],
        seeAlso: [.devices, .unpair, .session]
    )
}
