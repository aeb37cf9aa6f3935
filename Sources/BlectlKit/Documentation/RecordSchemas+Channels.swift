// SPDX-License-Identifier: GPL-2.0-or-later

extension RecordSchema {
    /// The record that `l2cap` prints when a channel opens.
    public static let channel = RecordSchema(
        "channel",
        by: [.l2cap],
        "a channel that has opened",
        keys: [
            device, RecordKey("psm", .integer(unit: nil), "the number of the service"),
            RecordKey("receive_mtu", .integer(unit: "bytes"), "the largest unit that this machine receives"),
            RecordKey("send_mtu", .integer(unit: "bytes"), "the largest unit that the device receives"),
        ]
    )

    /// The record that `l2cap` prints for each unit.
    public static let channelUnit = RecordSchema(
        "sdu",
        by: [.l2cap],
        "a unit on a channel, in one direction",
        keys: [
            device, RecordKey("direction", .string, "`received` or `sent`"),
            RecordKey("data", .hex, "its octets"),
            RecordKey("length", .integer(unit: "bytes"), "their number"),
            RecordKey("sequence", .integer(unit: nil), "the number of the unit in its direction, from 1"),
        ]
    )

    /// The record that `l2cap` prints when a channel has ended.
    public static let channelEnd = RecordSchema(
        "channel-end",
        by: [.l2cap],
        "a channel that has ended without an error",
        keys: [
            device, RecordKey("psm", .integer(unit: nil), "the number of the service"),
            RecordKey(
                "reason",
                .string,
                "`peer`, if the device has closed it; `input`, `count`, `duration`, or `simulation`"
            ),
            RecordKey("received", .integer(unit: "bytes"), "the octets received"),
            RecordKey("received_units", .integer(unit: nil), "the units received"),
            RecordKey("sent", .integer(unit: "bytes"), "the octets sent"),
            RecordKey("sent_units", .integer(unit: nil), "the units sent"),
        ]
    )

    /// The record that `bench` prints.
    public static let bench = RecordSchema(
        "bench",
        by: [.bench],
        "what a measurement has shown",
        keys: [
            device, RecordKey("action", .string, "`read`, `write`, `notify` or `l2cap`"),
            RecordKey("target", .string, "the characteristic or the service"),
            RecordKey("count", .integer(unit: nil), "the number of operations"),
            RecordKey("octets", .integer(unit: "bytes"), "what they have carried"),
            RecordKey("duration_ms", .number, "the time of all of them; of notifications, from the first one on"),
            RecordKey(
                "rate_per_s",
                .number,
                orNull: true,
                "the number of operations in a second; of notifications, of those after the first one; null if they "
                    + "took no time, or if all of them were only queued"
            ),
            RecordKey(
                "throughput_kbps",
                .number,
                orNull: true,
                "the thousands of bits in a second, in one direction; null as `rate_per_s`, and for a single notification"
            ),
            RecordKey(
                "latency",
                .object([
                    RecordKey("min_ms", .number, "the least"),
                    RecordKey("mean_ms", .number, "the mean"),
                    RecordKey("p50_ms", .number, "half took no longer"),
                    RecordKey("p90_ms", .number, "nine in ten took no longer"),
                    RecordKey("p99_ms", .number, "99 in a hundred took no longer"),
                    RecordKey("max_ms", .number, "the greatest"),
                ]),
                orNull: true,
                "the time of an operation; null if nothing was waited for"
            ),
            RecordKey(
                "histogram",
                .array(
                    of: .object([
                        RecordKey("from_ms", .number, "its beginning"),
                        RecordKey("to_ms", .number, "its end"),
                        RecordKey("count", .integer(unit: nil), "the operations in it"),
                    ])
                ),
                "the parts of the histogram; empty if nothing was waited for"
            ),
        ]
    )
}
