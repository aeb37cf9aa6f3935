// SPDX-License-Identifier: GPL-2.0-or-later

extension RecordSchema {
    private static let connection = RecordKey("connection", .integer(unit: nil), "the number of the connection, from 1")

    private static let central = RecordKey(
        "central",
        .object([
            RecordKey("address", .string, "its address"),
            RecordKey("address_type", .string, "`public` or `random`"),
        ]),
        orNull: true,
        "the central; null on a socket"
    )

    private static let security = security(orNull: "the security of the link as last seen; null for `advertise`")

    /// The record that `serve` prints when it is ready.
    public static let serving = RecordSchema(
        "serving",
        by: [.serve],
        "the device accepts connections from now on",
        keys: [
            device,
            RecordKey("name", .string, "the device's name in blectl"),
            RecordKey("advertised_name", .string, orNull: true, "the name that it advertises"),
            RecordKey("adapter", .string, "the adapter, such as `hci0`, or `unix:` and a path"),
            RecordKey("address", .string, orNull: true, "the address that centrals see; null on a socket"),
            RecordKey(
                "advertising",
                .string,
                orNull: true,
                "the commands that advertise it: `extended` or `legacy`; null on a socket"
            ),
            RecordKey("services", .array(of: .uuid), "its services"),
        ]
    )

    /// The record that `serve` and `advertise` print when a private address has had its time.
    public static let privateAddress = RecordSchema(
        "private-address",
        by: [.serve, .advertise],
        "with `--privacy`, the device is at another private address from now on",
        keys: [device, RecordKey("adapter", .string, "the adapter, such as `hci0`")]
    )

    /// The record that `serve` and `advertise` print when a central has connected.
    public static let connected = RecordSchema(
        "connected",
        by: [.serve, .advertise],
        "a central has connected",
        keys: [device, connection, central, security]
    )

    /// The record that `serve` prints when the security of a central's link has changed.
    public static let secured = RecordSchema(
        "secured",
        by: [.serve],
        "the security of a central's link has changed",
        keys: [device, connection, central, security]
    )

    /// The record that `serve` and `advertise` print when a central's connection has ended.
    public static let disconnected = RecordSchema(
        "disconnected",
        by: [.serve, .advertise],
        "a central's connection has ended",
        keys: [
            device, connection, central, security,
            RecordKey("reason", .string, "why"),
            RecordKey("duration_ms", .integer(unit: "ms"), "the duration of the connection"),
            RecordKey("mtu", .integer(unit: "bytes"), orNull: true, "the ATT MTU at its end; null for `advertise`"),
            RecordKey(
                "requests",
                .integer(unit: nil),
                orNull: true,
                "the number of requests and commands; null for `advertise`"
            ),
        ]
    )

    /// The record that `advertise` prints for each advertisement.
    public static let advertising = RecordSchema(
        "advertising",
        by: [.advertise],
        "an advertisement is sent from now on",
        keys: [
            RecordKey("set", .integer(unit: nil), "its number on the command line, from 1"),
            RecordKey("adapter", .string, "the adapter, such as `hci0`"),
            RecordKey("address", .string, "the address that receivers see"),
            RecordKey("address_type", .string, "`public` or `random`"),
            RecordKey("commands", .string, "the commands that advertise it: `extended` or `legacy`"),
            RecordKey("interval_us", .integer(unit: "us"), "the time between two advertisements"),
            RecordKey("connectable", .boolean, "whether it accepts a connection"),
            RecordKey("scannable", .boolean, "whether scan requests are answered"),
            RecordKey("legacy", .boolean, "whether it is in the format before Bluetooth 5"),
            RecordKey("advertising_sid", .integer(unit: nil), orNull: true, "its number in extended PDUs"),
            RecordKey("primary_phy", .string, "the PHY of the primary channel"),
            RecordKey("secondary_phy", .string, orNull: true, "the PHY of the secondary channel"),
            RecordKey("target", .string, orNull: true, "the only device that it is for"),
            RecordKey("name", .string, orNull: true, "the name in it"),
            RecordKey("beacon", .object(beaconKeys, isOpen: true), orNull: true, "its content, if it is a beacon"),
            RecordKey(
                "beacons",
                .array(of: .object(beaconKeys, isOpen: true)),
                "all such contents, those of data that are sent in turn and of the scan response included"
            ),
            RecordKey("data", .hex, "its data at the start"),
            RecordKey("scan_response", .hex, orNull: true, "the data of the scan response; null if there is none"),
        ]
    )

    /// The record that `serve` prints for each request and each command.
    public static let request = RecordSchema(
        "request",
        by: [.serve],
        "a request or a command that was served",
        keys: [
            device, connection,
            RecordKey("name", .string, "its name in the specification"),
            RecordKey("handle", .integer(unit: nil), orNull: true, "the attribute, if it names one"),
            RecordKey("attribute", .uuid, orNull: true, "the type of that attribute"),
            RecordKey("service", .uuid, orNull: true, "the service that it is in"),
            RecordKey("characteristic", .uuid, orNull: true, "the characteristic that it belongs to"),
            RecordKey("request", .hex, "the PDU"),
            RecordKey("answer", .hex, orNull: true, "the PDU of the answer; null for a command"),
            RecordKey(
                "signature",
                .string,
                orNull: true,
                "of a signed write: `valid`, `wrong` or `replayed`; null if there is no key to check it with"
            ),
        ] + attErrorKeys
    )
}
