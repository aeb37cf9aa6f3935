// SPDX-License-Identifier: MIT

import Bluetooth

extension CharacteristicValue {
    /// Characteristics of the User Data service except heart rates.
    ///
    /// Spec: User Data Service 1.1, 3; GATT Specification Supplement
    static func userData(_ formats: inout FormatTable) {
        formats[0x2A80] = { .fields(.number("age", .u8, .years)) }
        formats[0x2A85] = { .fields(.date("date of birth")) }
        formats[0x2A86] = { .fields(.date("date of threshold assessment")) }
        for uuid: BluetoothUUID in [0x2A87, 0x2A8A, 0x2A90, 0x2AA2, 0x2B48] { formats[uuid] = { .text } }
        formats[0x2A8C] = {
            .fields(.choice("gender", .u8, [0: "male", 1: "female", 2: "unspecified"]))
        }
        formats[0x2A8E] = { .fields(.number("height", .u16, .metres, e: -2)) }
        formats[0x2A8F] = { .fields(.number("hip circumference", .u16, .metres, e: -2)) }
        formats[0x2A93] = fields([
            .choice(
                "sport type",
                .u8,
                [
                    0: "unspecified", 1: "running", 2: "cycling", 3: "rowing", 4: "cross training", 5: "climbing",
                    6: "skiing", 7: "skating", 8: "arm exercising", 9: "lower body exercising",
                    10: "upper body exercising", 11: "whole body exercising",
                ]
            )
        ])
        formats[0x2A96] = { .fields(.number("vo2 max", .u8, .millilitresPerKilogramMinute)) }
        formats[0x2A97] = { .fields(.number("waist circumference", .u16, .metres, e: -2)) }
        formats[0x2A98] = { .fields(.number("weight", .u16, .kilograms, times: 5, e: -3)) }
        formats[0x2A99] = { .fields(.number("database change increment", .u32)) }
        formats[0x2A9A] = { .fields(.number("user index", .u8, not: [0xFF: "unknown"])) }
        formats[0x2B46] = { .fields(.repeated("units", Field("unit", .unit))) }
        formats[0x2B47] = { .fields(.number("height", .u16, .metres, e: -4)) }
        formats[0x2B49] = { .fields(.number("stride length", .u16, .metres, e: -3)) }
        formats[0x2B4A] = fields([
            .choice(
                "handedness",
                .u8,
                [0: "left handed", 1: "right handed", 2: "ambidextrous", 3: "unspecified"]
            )
        ])
        formats[0x2B4B] = { .fields(.choice("wearing position", .u8, wearingPositions)) }
        formats[0x2B4D] = fields([
            .flags(.u8),
            .part(
                "threshold",
                0...7,
                [
                    1: "energy per hour", 2: "metabolic equivalent", 3: "percentage of the maximum heart rate",
                    4: "heart rate",
                ]
            ),
            .number("threshold", .u16, .kilojoulesPerHour, if: .opCode(1)),
            .number("threshold", .u8, .metabolicEquivalents, e: -1, if: .opCode(2)),
            .number("threshold", .u8, .percent, if: .opCode(3)),
            .number("threshold", .u8, .bpm, if: .opCode(4)),
        ])
        formats[0x2B4E] = fields([
            .flags(.u8),
            .number("energy", .u16, .kilojoules, if: .set(0)),
            .number("normal walking steps", .u24, if: .set(1)),
            .number("intensity steps", .u24, if: .set(2)),
            .number("floor steps", .u24, if: .set(3)),
            .number("distance", .u24, .metres, if: .set(4)),
            .number("normal walking", .u24, .seconds, if: .set(5)),
            .number("intensity walking", .u24, .seconds, if: .set(6)),
        ])
        formats[0x2B4F] = { .fields(.number("sedentary interval", .u16, .seconds, not: [0: "not wanted"])) }
        formats[0x2B50] = { .fields(.number("caloric intake", .u16, .kilocalories)) }
    }

    private static var wearingPositions: [UInt64: String] {
        let positions = [
            "other", "head", "ear", "right ear", "left ear", "neck", "trunk", "pelvis", "pelvis right", "pelvis left",
            "thorax", "thorax right", "thorax left", "back", "upper extremity", "upper extremity right",
            "upper extremity left", "wrist", "right wrist", "left wrist", "finger", "finger of the right hand",
            "finger of the left hand", "hand", "right hand", "left hand", "lower extremity", "lower extremity right",
            "lower extremity left", "ankle", "right ankle", "left ankle", "foot", "right foot", "left foot",
            "pants pocket", "right pants pocket", "left pants pocket", "chest pocket", "right chest pocket",
            "left chest pocket",
        ]
        var names: [UInt64: String] = [:]
        for (number, name) in positions.enumerated() { names[UInt64(number)] = name }
        return names
    }

    /// Heart rates for training.
    ///
    /// Spec: User Data Service 1.1, 3; GATT Specification Supplement
    static func heartRateLimits(_ formats: inout FormatTable) {
        formats[0x2A7E] = { .fields(.number("aerobic lower limit", .u8, .bpm)) }
        formats[0x2A7F] = { .fields(.number("aerobic threshold", .u8, .bpm)) }
        formats[0x2A81] = { .fields(.number("anaerobic lower limit", .u8, .bpm)) }
        formats[0x2A82] = { .fields(.number("anaerobic upper limit", .u8, .bpm)) }
        formats[0x2A83] = { .fields(.number("anaerobic threshold", .u8, .bpm)) }
        formats[0x2A84] = { .fields(.number("aerobic upper limit", .u8, .bpm)) }
        formats[0x2A88] = { .fields(.number("fat burn lower limit", .u8, .bpm)) }
        formats[0x2A89] = { .fields(.number("fat burn upper limit", .u8, .bpm)) }
        formats[0x2A8B] = fields([
            .number("very light to light", .u8, .bpm),
            .number("light to moderate", .u8, .bpm),
            .number("moderate to hard", .u8, .bpm),
            .number("hard to maximum", .u8, .bpm),
        ])
        formats[0x2A8D] = { .fields(.number("maximum heart rate", .u8, .bpm)) }
        formats[0x2A91] = { .fields(.number("maximum recommended heart rate", .u8, .bpm)) }
        formats[0x2A92] = { .fields(.number("resting heart rate", .u8, .bpm)) }
        formats[0x2A94] = {
            .fields(.number("light to moderate", .u8, .bpm), .number("moderate to hard", .u8, .bpm))
        }
        formats[0x2A95] = { .fields(.number("fat burn to fitness", .u8, .bpm)) }
        formats[0x2B4C] = fields([
            .number("light to moderate", .u8, .bpm),
            .number("moderate to hard", .u8, .bpm),
            .number("hard to maximum", .u8, .bpm),
        ])
    }
}
