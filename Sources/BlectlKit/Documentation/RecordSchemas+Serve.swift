// SPDX-License-Identifier: GPL-2.0-or-later

extension RecordSchema {
    private static let connection = RecordKey("connection", .integer(unit: nil), "counts the connections, from 1")

    private static let central = RecordKey(
        "central",
        .object([
            RecordKey("address", .string, "its address"),
            RecordKey("address_type", .string, "`public` or `random`"),
        ]),
        orNull: true,
        "who connected; null on a socket"
    )

    /// The record that `serve` prints when it is ready.
    public static let serving = RecordSchema(
        "serving",
        by: [.serve],
        "the device can be connected to from now on",
        keys: [
            RecordKey("name", .string, "the device's name in blectl"),
            RecordKey("advertised_name", .string, orNull: true, "the name that it advertises"),
            RecordKey("adapter", .string, "where: `hci0`, or `unix:` and a path"),
            RecordKey("address", .string, orNull: true, "the address that others see; null on a socket"),
            RecordKey(
                "advertising",
                .string,
                orNull: true,
                "by which commands it is advertised: `extended` or `legacy`; null on a socket"
            ),
            RecordKey("services", .array(of: .uuid), "what it serves"),
        ]
    )

    /// The record that `serve` prints when a central has connected.
    public static let connected = RecordSchema(
        "connected",
        by: [.serve],
        "a central has connected",
        keys: [connection, central]
    )

    /// The record that `serve` prints when a central's connection has ended.
    public static let disconnected = RecordSchema(
        "disconnected",
        by: [.serve],
        "a central's connection has ended",
        keys: [
            connection, central,
            RecordKey("reason", .string, "why"),
            RecordKey("duration_ms", .integer(unit: "ms"), "how long it lasted"),
            RecordKey("mtu", .integer(unit: "bytes"), "the ATT MTU that it had at its end"),
            RecordKey("requests", .integer(unit: nil), "how many requests and commands came"),
        ]
    )

    /// The record that `serve` prints for each request and each command.
    public static let request = RecordSchema(
        "request",
        by: [.serve],
        "a request or a command that was served",
        keys: [
            connection,
            RecordKey("name", .string, "what it is, as the specification calls it"),
            RecordKey("handle", .integer(unit: nil), orNull: true, "the attribute, where it is about one"),
            RecordKey("attribute", .uuid, orNull: true, "the type of that attribute"),
            RecordKey("request", .hex, "the PDU"),
            RecordKey("answer", .hex, orNull: true, "the PDU of the answer; null for a command"),
            RecordKey("att_error", .integer(unit: nil), orNull: true, "the ATT error code, where it was refused"),
        ]
    )
}
