// SPDX-License-Identifier: MIT

import Bluetooth

extension CharacteristicValue {
    /// Characteristics of the Running and the Cycling Speed and Cadence services.
    ///
    /// Spec: Running Speed and Cadence Service 1.0, 3; Cycling Speed and Cadence Service 1.0, 3
    static func runningAndCycling(_ formats: inout FormatTable) {
        formats[0x2A53] = fields([
            .flags(.u8),
            .number("speed", .u16, .metresPerSecond, b: -8),
            .number("cadence", .u8, .perMinute),
            .number("stride length", .u16, .metres, e: -2, if: .set(0)),
            .number("total distance", .u32, .metres, e: -1, if: .set(1)),
            .part("gait", 2...2, [0: "walking", 1: "running"]),
        ])
        formats[0x2A54] = fields([
            .bits(
                "features",
                .u16,
                [
                    "stride length", "total distance", "walking or running status", "calibration",
                    "multiple sensor locations",
                ]
            )
        ])
        formats[0x2A5B] = fields([
            .flags(.u8),
            .number("wheel revolutions", .u32, if: .set(0)),
            .number("last wheel event", .u16, .seconds, b: -10, if: .set(0)),
            .number("crank revolutions", .u16, if: .set(1)),
            .number("last crank event", .u16, .seconds, b: -10, if: .set(1)),
        ])
        formats[0x2A5C] = {
            .fields(.bits("features", .u16, ["wheel revolutions", "crank revolutions", "multiple sensor locations"]))
        }
        formats[0x2A5D] = { .fields(.choice("sensor location", .u8, sensorLocations)) }
        formats[0x2A55] = fields([
            .flags(.u8),
            .opCode(controlPoint),
            .number("cumulative value", .u32, if: .opCode(1)),
            .choice("sensor location", .u8, sensorLocations, if: .opCode(3)),
            .choice("request", .u8, controlPoint, if: .opCode(16)),
            .choice("response", .u8, controlPointResponses, if: .opCode(16)),
            .repeated("sensor locations", .choice("sensor location", .u8, sensorLocations), if: .opCode(16)),
        ])
    }

    static let sensorLocations: [UInt64: String] = [
        0: "other", 1: "top of shoe", 2: "in shoe", 3: "hip", 4: "front wheel", 5: "left crank", 6: "right crank",
        7: "left pedal", 8: "right pedal", 9: "front hub", 10: "rear dropout", 11: "chainstay", 12: "rear wheel",
        13: "rear hub", 14: "chest", 15: "spider", 16: "chain ring",
    ]

    private static let controlPoint: [UInt64: String] = [
        1: "set cumulative value", 2: "start sensor calibration", 3: "update sensor location",
        4: "request supported sensor locations", 16: "response",
    ]

    /// The results of the control points of sports sensors.
    static let controlPointResponses: [UInt64: String] = [
        1: "success", 2: "op code not supported", 3: "invalid operand", 4: "operation failed",
    ]
}
