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

    /// The record that `serve` prints when a central has connected.
    public static let connected = RecordSchema(
        "connected",
        by: [.serve],
        "a central has connected",
        keys: [device, connection, central]
    )

    /// The record that `serve` prints when a central's connection has ended.
    public static let disconnected = RecordSchema(
        "disconnected",
        by: [.serve],
        "a central's connection has ended",
        keys: [
            device, connection, central,
            RecordKey("reason", .string, "why"),
            RecordKey("duration_ms", .integer(unit: "ms"), "the duration of the connection"),
            RecordKey("mtu", .integer(unit: "bytes"), "the ATT MTU at its end"),
            RecordKey("requests", .integer(unit: nil), "the number of requests and commands"),
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
        ] + attErrorKeys
    )
}
