// SPDX-License-Identifier: GPL-2.0-or-later

extension RecordSchema {
    private static let unknownKeys = [
        RecordKey(
            "property",
            .string,
            "`role`, `phy`, `data_length`, `interval_ms` (with latency and supervision timeout), `rssi_dbm`, `tx_power_dbm`"
        ),
        RecordKey("reason", .string, "why it is not known, in words"),
    ]

    private static let changeKeys = [
        RecordKey("setting", .string, "`phy`, `data-length` or `interval` (with latency and supervision timeout)"),
        RecordKey("asked", .string, orNull: true, "what was asked for, in words"),
        RecordKey("reached", .string, orNull: true, "what the link has now, in words; null if it is not known"),
        RecordKey(
            "outcome",
            .string,
            "`reached`, `different`, `refused` by the device, `rejected` by the controller, or `unanswered`"
        ),
        RecordKey("status", .integer(unit: nil), orNull: true, "the error code of the controller, if there was one"),
        RecordKey("status_name", .string, orNull: true, "the name of that code"),
    ]

    /// The record that `link` prints.
    public static let link = RecordSchema(
        "link",
        by: [.link],
        "the properties of a link",
        keys: [
            device,
            RecordKey("role", .string, orNull: true, "the role of this machine: `central` or `peripheral`"),
            RecordKey("mtu", .integer(unit: "bytes"), "the ATT MTU"),
            RecordKey("phy_tx", .string, orNull: true, "the PHY for sending: `1M`, `2M` or `coded`"),
            RecordKey("phy_rx", .string, orNull: true, "the PHY for receiving"),
            RecordKey(
                "data_length_tx_octets",
                .integer(unit: "bytes"),
                orNull: true,
                "the largest payload of a packet that is sent"
            ),
            RecordKey("data_length_tx_us", .integer(unit: "us"), orNull: true, "the longest time of such a packet"),
            RecordKey(
                "data_length_rx_octets",
                .integer(unit: "bytes"),
                orNull: true,
                "the largest payload of a packet that is received"
            ),
            RecordKey("data_length_rx_us", .integer(unit: "us"), orNull: true, "the longest time of such a packet"),
            RecordKey("interval_ms", .number, orNull: true, "the connection interval"),
            RecordKey(
                "latency",
                .integer(unit: nil),
                orNull: true,
                "the number of connection events that the peripheral may skip"
            ),
            RecordKey("supervision_timeout_ms", .number, orNull: true, "the silence after which the link is lost"),
            RecordKey("rssi_dbm", .integer(unit: "dBm"), orNull: true, "the strength of the device's signal"),
            RecordKey("tx_power_dbm", .integer(unit: "dBm"), orNull: true, "the power with which this machine sends"),
            RecordKey("security", .string, "the level: `low`, `medium`, `high` or `fips`"),
            RecordKey("encrypted", .boolean, "whether the link is encrypted"),
            RecordKey("authenticated", .boolean, "whether its key is protected against a man in the middle"),
            RecordKey("secure_connections", .boolean, "whether its key comes from Secure Connections"),
            RecordKey("key_size", .integer(unit: "bytes"), "the length of its key; 0 if it is not encrypted"),
            RecordKey("unknown", .array(of: .object(unknownKeys)), "what is null because it is not known"),
            RecordKey("changes", .array(of: .object(changeKeys)), "what was asked for, in the order of the procedures"),
        ]
    )

    /// The record that `link --signal` prints.
    public static let signal = RecordSchema(
        "signal",
        by: [.link],
        "the strength of a link's signal",
        keys: [
            device,
            RecordKey(
                "rssi_dbm",
                .integer(unit: "dBm"),
                orNull: true,
                "the strength; null if the controller does not know it"
            ),
            RecordKey("sequence", .integer(unit: nil), "the number of the value, from 1"),
        ]
    )
}
