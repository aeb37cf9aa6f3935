// SPDX-License-Identifier: MIT

import Bluetooth

extension CharacteristicValue {
    /// Characteristics of the Location and Navigation and the Indoor Positioning services.
    ///
    /// Spec: Location and Navigation Service 1.0, 3; Indoor Positioning Service 1.0, 3; GATT Specification Supplement
    static func location(_ formats: inout FormatTable) {
        formats[0x2A67] = fields([
            .flags(.u16),
            .part("position", 7...8, positions),
            .part("speed and distance", 9...9, [0: "2d", 1: "3d"]),
            .part(
                "elevation source",
                10...11,
                [0: "positioning system", 1: "air pressure", 2: "database", 3: "other"]
            ),
            .part("heading source", 12...12, headingSources),
            .number("speed", .u16, .metresPerSecond, e: -2, if: .set(0)),
            .number("total distance", .u24, .metres, e: -1, if: .set(1)),
            .number("latitude", .s32, .degrees, e: -7, if: .set(2)),
            .number("longitude", .s32, .degrees, e: -7, if: .set(2)),
            .number("elevation", .s24, .metres, e: -2, if: .set(3)),
            .number("heading", .u16, .degrees, e: -2, if: .set(4)),
            .number("rolling time", .u8, .seconds, if: .set(5)),
            .dateTime("utc time", if: .set(6)),
        ])
        formats[0x2A68] = fields([
            .flags(.u16),
            .part("position", 3...4, positions),
            .part("heading source", 5...5, headingSources),
            .part("navigating to", 6...6, [0: "waypoint", 1: "destination"]),
            .bit("waypoint reached", 7),
            .bit("destination reached", 8),
            .number("bearing", .u16, .degrees, e: -2),
            .number("heading", .u16, .degrees, e: -2),
            .number("remaining distance", .u24, .metres, e: -1, if: .set(0)),
            .number("remaining vertical distance", .s24, .metres, e: -2, if: .set(1)),
            .dateTime("estimated time of arrival", if: .set(2)),
        ])
        formats[0x2A69] = fields([
            .flags(.u16),
            .part("position", 7...8, positions),
            .number("beacons in solution", .u8, if: .set(0)),
            .number("beacons in view", .u8, if: .set(1)),
            .number("time to first fix", .u16, .seconds, e: -1, if: .set(2)),
            .number("horizontal error", .u32, .metres, e: -2, if: .set(3)),
            .number("vertical error", .u32, .metres, e: -2, if: .set(4)),
            .number("hdop", .u8, times: 2, e: -1, if: .set(5)),
            .number("vdop", .u8, times: 2, e: -1, if: .set(6)),
        ])
        formats[0x2A6A] = { .fields(.bits("features", .u32, features)) }
        formats[0x2AAE] = { .fields(.number("latitude", .s32, .degrees, e: -7)) }
        formats[0x2AAF] = { .fields(.number("longitude", .s32, .degrees, e: -7)) }
        formats[0x2AB5] = { .text }
    }

    private static let positions: [UInt64: String] = [0: "none", 1: "ok", 2: "estimated", 3: "last known"]
    private static let headingSources: [UInt64: String] = [0: "movement", 1: "magnetic compass"]

    private static let features = [
        "speed", "total distance", "location", "elevation", "heading", "rolling time", "utc time",
        "remaining distance", "remaining vertical distance", "estimated time of arrival", "beacons in solution",
        "beacons in view", "time to first fix", "horizontal position error", "vertical position error",
        "horizontal dilution of precision", "vertical dilution of precision", "content masking", "fix rate setting",
        "elevation setting", "position status",
    ]
}
