// SPDX-License-Identifier: MIT

import Bluetooth

extension CharacteristicValue {
    /// Features, ranges and states of fitness machines.
    ///
    /// Spec: Fitness Machine Service 1.0.1, 4; GATT Specification Supplement
    static func fitnessMachineRanges(_ formats: inout FormatTable) {
        formats[0x2ACC] = {
            .fields(.bits("features", .u32, machineFeatures), .bits("target settings", .u32, targetSettings))
        }
        formats[0x2AD3] = {
            .fields(.flags(.u8), .choice("training status", .u8, trainingStatus), .text("text", announcedBy: 0))
        }
        formats[0x2AD4] = fields([
            .number("minimum speed", .u16, .kilometresPerHour, e: -2),
            .number("maximum speed", .u16, .kilometresPerHour, e: -2),
            .number("minimum increment", .u16, .kilometresPerHour, e: -2),
        ])
        formats[0x2AD5] = fields([
            .number("minimum inclination", .s16, .percent, e: -1),
            .number("maximum inclination", .s16, .percent, e: -1),
            .number("minimum increment", .u16, .percent, e: -1),
        ])
        formats[0x2AD6] = {
            .either(
                .fields(
                    .number("minimum resistance level", .u8),
                    .number("maximum resistance level", .u8),
                    .number("minimum increment", .u8)
                ),
                earlier: .fields(
                    .number("minimum resistance level", .s16, e: -1),
                    .number("maximum resistance level", .s16, e: -1),
                    .number("minimum increment", .u16, e: -1)
                )
            )
        }
        formats[0x2AD7] = fields([
            .number("minimum heart rate", .u8, .bpm),
            .number("maximum heart rate", .u8, .bpm),
            .number("minimum increment", .u8, .bpm),
        ])
        formats[0x2AD8] = fields([
            .number("minimum power", .s16, .watts),
            .number("maximum power", .s16, .watts),
            .number("minimum increment", .u16, .watts),
        ])
    }

    private static let machineFeatures = [
        "average speed", "cadence", "total distance", "inclination", "elevation gain", "pace", "step count",
        "resistance level", "stride count", "expended energy", "heart rate", "metabolic equivalent", "elapsed time",
        "remaining time", "power", "force on belt and power output", "user data retention",
    ]

    private static let targetSettings = [
        "speed", "inclination", "resistance", "power", "heart rate", "expended energy", "step number",
        "stride number", "distance", "training time", "time in two heart rate zones",
        "time in three heart rate zones", "time in five heart rate zones", "indoor bike simulation",
        "wheel circumference", "spin down control", "cadence",
    ]

    private static let trainingStatus: [UInt64: String] = [
        0: "other", 1: "idle", 2: "warming up", 3: "low intensity interval", 4: "high intensity interval",
        5: "recovery interval", 6: "isometric", 7: "heart rate control", 8: "fitness test",
        9: "speed below control region", 10: "speed above control region", 11: "cool down", 12: "watt control",
        13: "manual mode", 14: "pre-workout", 15: "post-workout",
    ]
}
