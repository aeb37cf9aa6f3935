// SPDX-License-Identifier: MIT

import Bluetooth

extension CharacteristicValue {
    /// Characteristics of the Blood Pressure service.
    ///
    /// Spec: Blood Pressure Service 1.1.1, 3; GATT Specification Supplement
    static func bloodPressure(_ formats: inout FormatTable) {
        formats[0x2A35] = fields([
            .flags(.u8),
            // Bit 0 of the flags selects the unit of all pressures, so each field exists twice.
            .sfloat("systolic", .millimetresOfMercury, if: .clear(0)),
            .sfloat("systolic", .kilopascals, if: .set(0)),
            .sfloat("diastolic", .millimetresOfMercury, if: .clear(0)),
            .sfloat("diastolic", .kilopascals, if: .set(0)),
            .sfloat("mean arterial pressure", .millimetresOfMercury, if: .clear(0)),
            .sfloat("mean arterial pressure", .kilopascals, if: .set(0)),
            .dateTime("time stamp", if: .set(1)),
            .sfloat("pulse rate", .bpm, if: .set(2)),
            .number("user id", .u8, not: [0xFF: "unknown"], if: .set(3)),
            measurementStatus,
        ])
        formats[0x2A36] = fields([
            .flags(.u8),
            .sfloat("cuff pressure", .millimetresOfMercury, if: .clear(0)),
            .sfloat("cuff pressure", .kilopascals, if: .set(0)),
            // The diastolic and the mean pressure, which a measurement in progress does not have: NaN
            // twice.
            .skipped([0xFF, 0x07, 0xFF, 0x07]),
            .dateTime("time stamp", if: .set(1)),
            .sfloat("pulse rate", .bpm, if: .set(2)),
            .number("user id", .u8, not: [0xFF: "unknown"], if: .set(3)),
            measurementStatus,
        ])
        formats[0x2B34] = fields([
            .flags(.u8),
            .sfloat("systolic", .millimetresOfMercury, if: .clear(0)),
            .sfloat("systolic", .kilopascals, if: .set(0)),
            .sfloat("diastolic", .millimetresOfMercury, if: .clear(0)),
            .sfloat("diastolic", .kilopascals, if: .set(0)),
            .sfloat("mean arterial pressure", .millimetresOfMercury, if: .clear(0)),
            .sfloat("mean arterial pressure", .kilopascals, if: .set(0)),
            .epochTime("time stamp", if: .set(1)),
            .sfloat("pulse rate", .bpm, if: .set(2)),
            .number("user id", .u8, not: [0xFF: "unknown"], if: .set(3)),
            measurementStatus,
            .epochTime("user facing time", if: .set(5)),
        ])
        formats[0x2B35] = fields([
            .flags(.u8),
            .sfloat("cuff pressure", .millimetresOfMercury, if: .clear(0)),
            .sfloat("cuff pressure", .kilopascals, if: .set(0)),
            .epochTime("time stamp", if: .set(1)),
            .sfloat("pulse rate", .bpm, if: .set(2)),
            .number("user id", .u8, not: [0xFF: "unknown"], if: .set(3)),
            measurementStatus,
            .epochTime("user facing time", if: .set(5)),
        ])
        formats[0x2B36] = fields([
            .word(.u8),
            .bit("first segment", 0),
            .bit("last segment", 1),
            Field("segment", .partNumber(2...7)),
            .number("sequence number", .u16),
            .uuid16("characteristic"),
            // A part of a value of that characteristic, and a checksum after the last part.
            .hex("segment value"),
        ])
        formats[0x2A49] = fields([
            .bits(
                "features",
                .u16,
                [
                    "body movement detection", "cuff fit detection", "irregular pulse detection",
                    "pulse rate range detection", "measurement position detection", "multiple bonds", "e2e-crc",
                    "user data service", "user facing time",
                ]
            )
        ])
    }

    /// The status of a measurement. Bits 3 and 4 are a number, so that they have no names of their own.
    private static var measurementStatus: Field {
        .bits(
            "status",
            .u16,
            ["body movement", "cuff too loose", "irregular pulse", "", "", "improper measurement position"],
            selections: [
                .init(
                    bits: 3...4,
                    names: [1: "pulse rate above the upper limit", 2: "pulse rate below the lower limit"]
                )
            ],
            none: "good",
            if: .set(4)
        )
    }
}
