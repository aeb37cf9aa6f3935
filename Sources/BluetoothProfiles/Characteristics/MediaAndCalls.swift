// SPDX-License-Identifier: MIT

import Bluetooth

extension CharacteristicValue {
    /// The services that tell devices with LE Audio the state of media players and of telephone calls.
    ///
    /// Spec: Media Control Service 1.0, 3; Telephone Bearer Service 1.0, 3; Assigned Numbers, 6.6
    static func mediaAndCalls(_ formats: inout FormatTable) {
        // The names of the player and of the track, and the address of the player's icon.
        for uuid: BluetoothUUID in [0x2B93, 0x2B95, 0x2B97] { formats[uuid] = { .text } }
        formats[0x2B98] = fields([
            .number(
                "track duration",
                .s32,
                .seconds,
                e: -2,
                not: [0xFFFF_FFFF: "not known"],
                in: 0...0x7FFF_FFFF
            )
        ])
        // A client may write a negative position, which counts from the end of the track.
        formats[0x2B99] = {
            .fields(.number("track position", .s32, .seconds, e: -2, not: [0xFFFF_FFFF: "not available"]))
        }
        formats[0x2BA1] = fields([
            .choice(
                "playing order",
                .u8,
                [
                    1: "single once", 2: "single repeat", 3: "in order once", 4: "in order repeat",
                    5: "oldest once", 6: "oldest repeat", 7: "newest once", 8: "newest repeat",
                    9: "shuffle once", 10: "shuffle repeat",
                ]
            )
        ])
        formats[0x2BA2] = fields([
            .bits(
                "playing orders",
                .u16,
                [
                    "single once", "single repeat", "in order once", "in order repeat", "oldest once",
                    "oldest repeat", "newest once", "newest repeat", "shuffle once", "shuffle repeat",
                ]
            )
        ])
        formats[0x2BA3] = {
            .fields(.choice("media state", .u8, [0: "inactive", 1: "playing", 2: "paused", 3: "seeking"]))
        }
        calls(&formats)
    }

    private static func calls(_ formats: inout FormatTable) {
        // The name of the provider, the identifier of the bearer, and the schemes of addresses that can be called.
        for uuid: BluetoothUUID in [0x2BB3, 0x2BB4, 0x2BB6] { formats[uuid] = { .text } }
        formats[0x2BB5] = fields([
            .choice(
                "technology",
                .u8,
                [
                    1: "3g", 2: "4g", 3: "lte", 4: "wi-fi", 5: "5g", 6: "gsm", 7: "cdma", 8: "2g", 9: "wcdma",
                ]
            )
        ])
        formats[0x2BB7] = { .fields(.number("signal strength", .u8, not: [255: "not known"], in: 0...100)) }
        formats[0x2BB8] = { .fields(.number("reporting interval", .u8, .seconds, not: [0: "at each change"])) }
        formats[0x2BBB] = { .fields(.bits("status", .u16, ["in-band ringtone", "silent mode"])) }
        formats[0x2BBD] = fields([
            .repeated(
                "calls",
                .object(
                    "call",
                    .number("call", .u8),
                    .choice(
                        "state",
                        .u8,
                        [
                            0: "incoming", 1: "dialing", 2: "alerting", 3: "active", 4: "locally held",
                            5: "remotely held", 6: "locally and remotely held",
                        ]
                    ),
                    .word(.u8),
                    .part("direction", 0...0, [0: "incoming", 1: "outgoing"]),
                    .bit("withheld by the server", 1),
                    .bit("withheld by the network", 2)
                )
            )
        ])
        formats[0x2BC0] = fields([
            .number("call", .u8),
            .choice(
                "reason",
                .u8,
                [
                    0: "improper uri", 1: "call failed", 2: "ended by the other party", 3: "ended by the server",
                    4: "line busy", 5: "network congestion", 6: "ended by the client", 7: "no service",
                    8: "no answer", 9: "unspecified",
                ]
            ),
        ])
    }
}
