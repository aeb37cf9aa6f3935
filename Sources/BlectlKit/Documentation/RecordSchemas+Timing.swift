// SPDX-License-Identifier: GPL-2.0-or-later

extension RecordSchema {
    /// The schema of the records of this kind in one run.
    ///
    /// - Parameter hasTiming: Whether it has the timing.
    func form(hasTiming: Bool) -> RecordSchema {
        hasTiming ? RecordSchema(type, by: commands, summary, keys: keys + [Self.timing]) : self
    }

    /// The member that the records of a command that scans or connects have with `--timing`.
    public static let timing = RecordKey(
        "timing",
        .object(timingKeys),
        "the times of the command, of the step or of the line, until this record"
    )

    private static let timingKeys = [
        RecordKey("scan_ms", .number, orNull: true, "the scan, for the device or for all; null if none was needed"),
        RecordKey(
            "connect_ms",
            .number,
            orNull: true,
            "the connection until it could be used, with its security and the wished properties; null if there was none"
        ),
        RecordKey("connect_attempts", .integer(unit: nil), "the attempts to connect"),
        RecordKey(
            "discovery_ms",
            .number,
            "the requests that find attributes, with the exchange of the MTU, each until its answer"
        ),
        RecordKey("discovery_requests", .integer(unit: nil), "their number"),
        RecordKey("request_ms", .number, "all other requests, each until its answer"),
        RecordKey("requests", .integer(unit: nil), "their number"),
        RecordKey("link", .object(linkKeys), "what the link that was used last has, or had at its end"),
    ]

    private static let linkKeys = [
        RecordKey("mtu", .integer(unit: nil), orNull: true, "the ATT MTU in octets"),
        RecordKey("phy_tx", .string, orNull: true, "the PHY for sending: `1M`, `2M` or `coded`"),
        RecordKey("phy_rx", .string, orNull: true, "the PHY for receiving"),
        RecordKey("interval_ms", .number, orNull: true, "the connection interval"),
        RecordKey("latency", .integer(unit: nil), orNull: true, "the connection events that the peripheral may skip"),
        RecordKey("supervision_timeout_ms", .number, orNull: true, "the silence after which the link is lost"),
        RecordKey(
            "data_length_tx_octets",
            .integer(unit: nil),
            orNull: true,
            "the largest payload of a packet that is sent"
        ),
        RecordKey(
            "data_length_rx_octets",
            .integer(unit: nil),
            orNull: true,
            "the largest payload of a packet that is received"
        ),
        security(orNull: "its security; null if there is no link, or none for attributes"),
        RecordKey("unknown", .array(of: .object(unknownTimingKeys)), "what else is null, and why"),
    ]

    private static let unknownTimingKeys = [
        RecordKey("property", .string, "`mtu`, `phy`, `data_length` or `interval_ms` (with the keys after it)"),
        RecordKey("reason", .string, "why it is not known, in words"),
    ]
}
