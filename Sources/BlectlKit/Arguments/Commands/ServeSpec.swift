// SPDX-License-Identifier: GPL-2.0-or-later

/// The table's row for `blectl serve`.
public enum ServeSpec {
    /// The built-in devices, for completion. A test compares the list with the simulated world, because this module
    /// must not import it.
    static let builtInDevices = [
        "pulse-strap", "thermometer", "uart-echo", "workbench", "ibeacon", "eddystone", "weather-mast",
        "shapeshifter", "museum", "sports-watch", "flaky-strap",
    ]

    /// `DEVICE`
    public static let device = Argument(
        required: .text("DEVICE", completion: .servedDevice),
        summary: "the device to be: one of the simulated ones",
        details: """
            There are \(Prose.list(builtInDevices.map { "`\($0)`" }, "and")). The name that a device advertises does as \
            well, such as 'Pulse HR'.
            """
    )

    /// `--count`
    public static let count = Option(
        value: "count",
        short: "n",
        .integer("NUMBER", in: 1...Int.max),
        summary: "stop after this many connections have ended"
    )

    /// `--duration`
    public static let duration = Option(
        value: "duration",
        .duration,
        summary: "stop after this time",
        details: "Without it, the device is served until it is interrupted."
    )

    /// `--centrals`
    public static let centrals = Option(
        value: "centrals",
        .integer("NUMBER", in: 1...64),
        default: "8",
        summary: "how many centrals may be connected at once",
        details: "The device is not advertised while so many are."
    )

    /// `--no-wait`
    public static let noWait = Option(
        flag: "no-wait",
        summary: "fail at once where another blectl serves on the adapter",
        details: "The exit status is 75 then. Without it, blectl waits until the other one has ended."
    )

    static let command = CommandSpec(
        .serve,
        summary: "be a device: advertise it and serve it to those who connect",
        discussion: [
            """
            Takes the part of a device: advertises it on the adapter, and answers whoever connects, with the very code \
            that runs the simulated devices. It says when it is ready, and when a central connects and disconnects; with \
            `-v` every ATT packet is shown, and with `--json` there is a record for each request.
            """,
            """
            With `--radio unix:PATH` it listens on a socket instead, where another blectl, an emulator or any host \
            stack may connect: ATT, one PDU a packet. With `--simulate` a simulated central comes by now and then.
            """,
            """
            What needs an encrypted link is served where the link is encrypted, from the moment when it is. Pairing is the \
            kernel's, which asks somebody: bluetoothd with an agent, or btmgmt. Without either, a central that wants to \
            pair waits in vain.
            """,
            """
            `workbench` has values of all kinds and lengths, and some that are refused or never answered. `museum` does \
            nothing, but its database has all that a specification allows and clients stumble over, up to a service at \
            the last handle; it has no Database Hash. `shapeshifter` changes its database when it is told to: write to \
            `b1ec0501-5ec7-4c3a-9d0e-51a1b1ec0001` one octet for the shape (00: as at first, 01: services moved, 02: moved \
            to the last handles, 03: a service gone) and, if you like, one for the seconds until then. With 0x80 added \
            to the shape it hangs up as well, as a device that restarts does. `flaky-strap` falls silent after 20 seconds \
            of each connection, and its services change places 12 seconds after somebody has begun to listen.
            """,
            """
            Advertising sends commands to the controller, which needs CAP_NET_RAW. Only one program of a machine can serve \
            attributes to a central: where bluetoothd runs, it may take them. A second `blectl serve` on an adapter waits \
            until the first one has ended. Other programs that serve, such as bluetoothd in some configurations, stay for as long as the \
            machine runs: they are not waited for, and the exit status is 69.
            """,
        ],
        arguments: [device.spec],
        options: [count.spec, duration.spec, centrals.spec, noWait.spec],
        examples: [
            CommandExample("blectl serve pulse-strap", "be a heart rate strap, until interrupted"),
            CommandExample(
                "blectl --radio unix:/tmp/hr serve pulse-strap --count 1",
                "serve one connection on a socket"
            ),
            CommandExample("blectl --radio unix:/tmp/hr read battery-level", "read from whatever listens there"),
            CommandExample("blectl --simulate serve workbench --json", "what a simulated central asks for"),
        ],
        seeAlso: [.inspect, .notify, .adapters]
    )
}
