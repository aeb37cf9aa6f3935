// SPDX-License-Identifier: MIT

import Bluetooth

extension CharacteristicValue {
    /// Characteristics of the Blood Pressure service.
    ///
    /// Spec: Blood Pressure Service 1.1.1, 3; GATT Specification Supplement
    static func bloodPressure(_ formats: inout FormatTable) {
        let time = Field.dateTime("time stamp", if: .set(1))
        let seconds = Field.epochTime("time stamp", if: .set(1))
        let userTime = Field.epochTime("user facing time", if: .set(5))
        formats[0x2A35] = fields([.flags(.u8)] + pressures + [time] + others)
        // The diastolic and the mean pressure, which a measurement in progress does not have: NaN twice.
        let absent = Field.skipped([0xFF, 0x07, 0xFF, 0x07])
        formats[0x2A36] = fields([.flags(.u8)] + pressure("cuff pressure") + [absent, time] + others)
        formats[0x2B34] = fields([.flags(.u8)] + pressures + [seconds] + others + [userTime])
        formats[0x2B35] = fields([.flags(.u8)] + pressure("cuff pressure") + [seconds] + others + [userTime])
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

    /// Bit 0 of the flags selects the unit of all pressures, so each field exists twice.
    private static func pressure(_ name: String) -> [Field] {
        [.sfloat(name, .millimetresOfMercury, if: .clear(0)), .sfloat(name, .kilopascals, if: .set(0))]
    }

    private static var pressures: [Field] {
        ["systolic", "diastolic", "mean arterial pressure"].flatMap(pressure)
    }

    /// The fields after the time.
    private static var others: [Field] {
        [
            .sfloat("pulse rate", .bpm, if: .set(2)), .number("user id", .u8, not: [0xFF: "unknown"], if: .set(3)),
            measurementStatus,
        ]
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
