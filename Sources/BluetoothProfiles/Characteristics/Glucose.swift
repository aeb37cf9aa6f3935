// SPDX-License-Identifier: MIT

import Bluetooth

extension CharacteristicValue {
    /// Characteristics of the Glucose and Continuous Glucose Monitoring services.
    ///
    /// Spec: Glucose Service 1.0.1, 3; Continuous Glucose Monitoring Service 1.0.2, 3; GATT Specification Supplement
    static func glucose(_ formats: inout FormatTable) {
        formats[0x2A18] = fields([
            .flags(.u8),
            .number("sequence number", .u16),
            .dateTime("base time"),
            .number("time offset", .s16, .minutes, if: .set(0)),
            // Sent in kg/l and mol/l.
            .sfloat("glucose", .milligramsPerDecilitre, e: 5, if: .set(1, clear: 2)),
            .sfloat("glucose", .millimolesPerLitre, e: 3, if: .set(1, and: 2)),
            .word(.u8, if: .set(1)),
            .part("sample type", 0...3, sampleTypes),
            .part("sample location", 4...7, sampleLocations),
            .bits("sensor status", .u16, sensorStatus, if: .set(3)),
            .flag("context follows", bit: 4),
        ])
        formats[0x2A34] = { glucoseContext }
        formats[0x2A51] = fields([
            .bits(
                "features",
                .u16,
                [
                    "low battery detection", "sensor malfunction detection", "sample size detection",
                    "strip insertion error detection", "strip type error detection",
                    "result high-low detection", "temperature high-low detection", "read interrupt detection",
                    "general device fault", "time fault", "multiple bonds",
                ]
            )
        ])
        formats[0x2AA7] = { .fields(.repeated("records", continuousRecord)) }
        formats[0x2AA8] = fields([
            .bits("features", .u24, continuousFeatures),
            .word(.u8),
            .part("sample type", 0...3, sampleTypes),
            .part("sample location", 4...7, continuousSampleLocations),
            .hex("e2e crc", octets: 2),
        ])
        formats[0x2AA9] = fields([
            .number("time offset", .u16, .minutes),
            .bits("status", .u24, statusNames + calibrationNames + warningNames),
            .checksum,
        ])
        formats[0x2AAB] = { .fields(.number("session run time", .u16, .hours), .checksum) }
    }

    static let sampleTypes: [UInt64: String] = [
        1: "capillary whole blood", 2: "capillary plasma", 3: "venous whole blood", 4: "venous plasma",
        5: "arterial whole blood", 6: "arterial plasma", 7: "undetermined whole blood", 8: "undetermined plasma",
        9: "interstitial fluid", 10: "control solution",
    ]

    static let sampleLocations: [UInt64: String] = [
        1: "finger", 2: "alternate site", 3: "earlobe", 4: "control solution", 15: "not available",
    ]

    /// The locations of continuous measurements: those of single ones, and one more.
    static var continuousSampleLocations: [UInt64: String] {
        sampleLocations.merging([5: "subcutaneous tissue"]) { $1 }
    }

    private static let sensorStatus = [
        "battery low", "sensor malfunction", "sample size insufficient", "strip insertion error",
        "strip type incorrect", "result too high", "result too low", "temperature too high", "temperature too low",
        "read interrupted", "general device fault", "time fault",
    ]

    private static let continuousFeatures = [
        "calibration", "patient high/low alerts", "hypo alerts", "hyper alerts", "rate of change alerts",
        "device specific alert", "sensor malfunction detection", "temperature high-low detection",
        "result high-low detection", "low battery detection", "sensor type error detection", "general device fault",
        "e2e-crc", "multiple bonds", "multiple sessions", "trend information", "quality",
    ]

    private static var glucoseContext: CharacteristicFormat {
        .fields(
            .flags(.u8),
            .number("sequence number", .u16),
            .hex("extended flags", octets: 1, if: .set(7)),
            .choice(
                "carbohydrate",
                .u8,
                [1: "breakfast", 2: "lunch", 3: "dinner", 4: "snack", 5: "drink", 6: "supper", 7: "brunch"],
                if: .set(0)
            ),
            .sfloat("carbohydrate", .grams, e: 3, if: .set(0)),
            .choice(
                "meal",
                .u8,
                [1: "before meal", 2: "after meal", 3: "fasting", 4: "casual", 5: "bedtime"],
                if: .set(1)
            ),
            .word(.u8, if: .set(2)),
            .part("tester", 0...3, [1: "self", 2: "health care professional", 3: "lab test", 15: "not available"]),
            .part(
                "health",
                4...7,
                [
                    1: "minor health issues", 2: "major health issues", 3: "during menses", 4: "under stress",
                    5: "no health issues", 15: "not available",
                ]
            ),
            .number("exercise duration", .u16, .seconds, not: [0xFFFF: "more than 65534 s"], if: .set(3)),
            .number("exercise intensity", .u8, .percent, if: .set(3)),
            .choice(
                "medication",
                .u8,
                [
                    1: "rapid acting insulin", 2: "short acting insulin", 3: "intermediate acting insulin",
                    4: "long acting insulin", 5: "pre-mixed insulin",
                ],
                if: .set(4)
            ),
            // Sent in kilograms and litres.
            .sfloat("medication", .milligrams, e: 6, if: .set(4, clear: 5)),
            .sfloat("medication", .millilitres, e: 3, if: .set(4, and: 5)),
            .sfloat("hba1c", .percent, if: .set(6))
        )
    }

    /// One record of CGM Measurement, which begins with its size.
    private static var continuousRecord: Field {
        .object(
            "record",
            isSized: true,
            .flags(.u8),
            .sfloat("glucose", .milligramsPerDecilitre),
            .number("time offset", .u16, .minutes),
            .bits("status", .u8, statusNames, if: .set(7)),
            .bits("calibration and temperature status", .u8, calibrationNames, if: .set(6)),
            .bits("warning", .u8, warningNames, if: .set(5)),
            .sfloat("trend", .init("mg/(dl·min)", "mg_per_dl_min"), if: .set(0)),
            .sfloat("quality", .percent, if: .set(1)),
            .checksum
        )
    }

    // Eight bits each.
    private static let statusNames = [
        "session stopped", "battery low", "sensor type incorrect", "sensor malfunction", "device specific alert",
        "general device fault", "", "",
    ]
    private static let calibrationNames = [
        "time synchronization required", "calibration not allowed", "calibration recommended", "calibration required",
        "temperature too high", "temperature too low", "calibration pending", "",
    ]
    private static let warningNames = [
        "below the patient low level", "above the patient high level", "below the hypo level", "above the hyper level",
        "rate of decrease exceeded", "rate of increase exceeded", "too low for the device", "too high for the device",
    ]
}
