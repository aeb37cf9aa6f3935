// SPDX-License-Identifier: MIT

import Bluetooth

extension CharacteristicValue {
    /// Characteristics of the Body Composition and Weight Scale services.
    ///
    /// Spec: Body Composition Service 1.0, 3; Weight Scale Service 1.0, 3; GATT Specification Supplement
    static func bodyComposition(_ formats: inout FormatTable) {
        formats[0x2A9B] = fields([
            .word(.u32),
            .bit("time stamp", 0),
            .bit("multiple users", 1),
            .bit("basal metabolism", 2),
            .bit("muscle percentage", 3),
            .bit("muscle mass", 4),
            .bit("fat free mass", 5),
            .bit("soft lean mass", 6),
            .bit("body water mass", 7),
            .bit("impedance", 8),
            .bit("weight", 9),
            .bit("height", 10),
            .part("mass resolution", 11...14, massResolutions),
            .part("height resolution", 15...17, heightResolutions),
        ])
        formats[0x2A9C] = { .byModel([(.xiaomiScale, xiaomiBodyComposition)], usual: measurement) }
        formats[0x2A9D] = { .byModel([(.xiaomiScale, xiaomiWeight)], usual: weight) }
        formats[0x2A9E] = fields([
            .word(.u32),
            .bit("time stamp", 0),
            .bit("multiple users", 1),
            .bit("bmi", 2),
            .part("weight resolution", 3...6, massResolutions),
            .part("height resolution", 7...9, heightResolutions),
        ])
    }

    private static var weight: CharacteristicFormat {
        .fields(
            .flags(.u8),
            .number("weight", .u16, .kilograms, times: 5, e: -3, not: unsuccessful, if: .clear(0)),
            .number("weight", .u16, .pounds, e: -2, not: unsuccessful, if: .set(0)),
            .dateTime("time stamp", if: .set(1)),
            .number("user id", .u8, not: [0xFF: "unknown"], if: .set(2)),
            .number("bmi", .u16, .kilogramsPerSquareMetre, e: -1, if: .set(3)),
            // The unit of the height follows that of the weight, which bit 0 selects.
            .number("height", .u16, .metres, e: -3, if: .set(3, clear: 0)),
            .number("height", .u16, .inches, e: -1, if: .set(3, and: 0))
        )
    }

    /// The integer of a measurement that failed.
    private static var unsuccessful: [UInt64: String] { [0xFFFF: "measurement unsuccessful"] }

    private static let massResolutions: [UInt64: String] = [
        0: "not specified", 1: "0.5 kg or 1 lb", 2: "0.2 kg or 0.5 lb", 3: "0.1 kg or 0.2 lb", 4: "0.05 kg or 0.1 lb",
        5: "0.02 kg or 0.05 lb", 6: "0.01 kg or 0.02 lb", 7: "0.005 kg or 0.01 lb",
    ]

    private static let heightResolutions: [UInt64: String] = [
        0: "not specified", 1: "0.01 m or 1 in", 2: "0.005 m or 0.5 in", 3: "0.001 m or 0.1 in",
    ]

    /// The measurement. Bit 0 of the flags selects the units, so that each mass and the height are two fields:
    /// one is there if the bit is clear, the other one if it is set.
    private static var measurement: CharacteristicFormat {
        .fields(
            .flags(.u16),
            .number("body fat", .u16, .percent, e: -1, not: unsuccessful),
            .dateTime("time stamp", if: .set(1)),
            .number("user id", .u8, not: [0xFF: "unknown"], if: .set(2)),
            .number("basal metabolism", .u16, .kilojoules, if: .set(3)),
            .number("muscle", .u16, .percent, e: -1, if: .set(4)),
            .number("muscle mass", .u16, .kilograms, times: 5, e: -3, if: .set(5, clear: 0)),
            .number("muscle mass", .u16, .pounds, e: -2, if: .set(5, and: 0)),
            .number("fat free mass", .u16, .kilograms, times: 5, e: -3, if: .set(6, clear: 0)),
            .number("fat free mass", .u16, .pounds, e: -2, if: .set(6, and: 0)),
            .number("soft lean mass", .u16, .kilograms, times: 5, e: -3, if: .set(7, clear: 0)),
            .number("soft lean mass", .u16, .pounds, e: -2, if: .set(7, and: 0)),
            .number("body water mass", .u16, .kilograms, times: 5, e: -3, if: .set(8, clear: 0)),
            .number("body water mass", .u16, .pounds, e: -2, if: .set(8, and: 0)),
            .number("impedance", .u16, .ohms, e: -1, if: .set(9)),
            .number("weight", .u16, .kilograms, times: 5, e: -3, if: .set(10, clear: 0)),
            .number("weight", .u16, .pounds, e: -2, if: .set(10, and: 0)),
            .number("height", .u16, .metres, e: -3, if: .set(11, clear: 0)),
            .number("height", .u16, .inches, e: -1, if: .set(11, and: 0)),
            .flag("more packets follow", bit: 12)
        )
    }
}
