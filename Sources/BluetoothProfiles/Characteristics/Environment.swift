// SPDX-License-Identifier: MIT

import Bluetooth

extension CharacteristicValue {
    /// The integers that mean no number: the largest one of the type is "not known", and where there is a
    /// second one, it is "not valid".
    static var notKnown8: [UInt64: String] { [0xFF: "not known"] }
    static var notKnown16: [UInt64: String] { [0xFFFF: "not known"] }
    static var notKnown24: [UInt64: String] { [0xFF_FFFF: "not known"] }
    static var notValid24: [UInt64: String] { [0xFF_FFFF: "not known", 0xFF_FFFE: "not valid"] }
    static var notValid32: [UInt64: String] { [0xFFFF_FFFF: "not known", 0xFFFF_FFFE: "not valid"] }

    /// Weather data, mostly of the Environmental Sensing service.
    ///
    /// Spec: Environmental Sensing Service 1.0, 3.1; GATT Specification Supplement
    static func environment(_ formats: inout FormatTable) {
        formats[0x2A2C] = { .fields(.number("magnetic declination", .u16, .degrees, e: -2, in: 0...35_999)) }
        formats[0x2A6C] = { .fields(.number("elevation", .s24, .metres, e: -2)) }
        formats[0x2A6D] = { .fields(.number("pressure", .u32, .pascals, e: -1)) }
        formats[0x2A6E] = {
            .fields(.number("temperature", .s16, .celsius, e: -2, not: [0x8000: "not known"], in: -27_315...32_767))
        }
        formats[0x2A6F] = { .fields(.number("humidity", .u16, .percent, e: -2, not: notKnown16, in: 0...10_000)) }
        formats[0x2A70] = { .fields(.number("true wind speed", .u16, .metresPerSecond, e: -2)) }
        formats[0x2A71] = { .fields(.number("true wind direction", .u16, .degrees, e: -2, in: 0...35_999)) }
        formats[0x2A72] = { .fields(.number("apparent wind speed", .u16, .metresPerSecond, e: -2)) }
        formats[0x2A73] = { .fields(.number("apparent wind direction", .u16, .degrees, e: -2, in: 0...35_999)) }
        formats[0x2A74] = { .fields(.number("gust factor", .u8, e: -1)) }
        formats[0x2A75] = { .fields(.number("pollen concentration", .u24, .perCubicMetre)) }
        formats[0x2A76] = { .fields(.number("uv index", .u8)) }
        formats[0x2A77] = { .fields(.number("irradiance", .u16, .wattsPerSquareMetre, e: -1)) }
        formats[0x2A78] = { .fields(.number("rainfall", .u16, .millimetres)) }
        formats[0x2A79] = { .fields(.number("wind chill", .s8, .celsius)) }
        formats[0x2A7A] = { .fields(.number("heat index", .s8, .celsius)) }
        formats[0x2A7B] = { .fields(.number("dew point", .s8, .celsius)) }
        formats[0x2AA0] = fields([
            .number("x", .s16, .microteslas, e: -1),
            .number("y", .s16, .microteslas, e: -1),
        ])
        formats[0x2AA1] = fields([
            .number("x", .s16, .microteslas, e: -1),
            .number("y", .s16, .microteslas, e: -1),
            .number("z", .s16, .microteslas, e: -1),
        ])
        formats[0x2AA3] = fields([
            .choice(
                "barometric pressure trend",
                .u8,
                [
                    0: "unknown", 1: "continuously falling", 2: "continuously rising", 3: "falling, then steady",
                    4: "rising, then steady", 5: "falling before a lesser rise", 6: "falling before a greater rise",
                    7: "rising before a greater fall", 8: "rising before a lesser fall", 9: "steady",
                ]
            )
        ])
        formats[0x2BE4] = {
            .fields(.number("noise", .u8, .decibels, not: [0xFE: "254 dB or more", 0xFF: "not known"]))
        }
        formats[0x2C1B] = { .fields(.number("humidity", .u8, .percent, b: -1, not: notKnown8, in: 0...200)) }
    }

    /// Gases and particles. Masses per volume are sent in kg/m³ and shown in µg/m³, because real values are that small.
    ///
    /// Spec: GATT Specification Supplement
    static func airQuality(_ formats: inout FormatTable) {
        let bounds: [UInt64: String] = [0xFFFE: "65534 or more", 0xFFFF: "not known"]
        formats[0x2B8C] = {
            .fields(.number("co2 concentration", .u16, .partsPerMillion, not: bounds))
        }
        formats[0x2BCF] = { massConcentration("ammonia") }
        formats[0x2BD0] = { massConcentration("carbon monoxide") }
        formats[0x2BD1] = { .fields(.sfloat("methane concentration", .partsPerBillion)) }
        formats[0x2BD2] = { massConcentration("nitrogen dioxide") }
        formats[0x2BD3] = { massConcentration("non-methane volatile organic compounds") }
        formats[0x2BD4] = { massConcentration("ozone") }
        formats[0x2BD5] = { massConcentration("pm1") }
        formats[0x2BD6] = { massConcentration("pm2.5") }
        formats[0x2BD7] = { massConcentration("pm10") }
        formats[0x2BD8] = { massConcentration("sulfur dioxide") }
        formats[0x2BD9] = { massConcentration("sulfur hexafluoride") }
        formats[0x2BE7] = {
            .fields(.number("voc concentration", .u16, .partsPerBillion, not: bounds))
        }
    }

    /// A concentration by mass, which is sent in kg/m³ and shown in µg/m³.
    private static func massConcentration(_ substance: String) -> CharacteristicFormat {
        .fields(.sfloat("\(substance) concentration", .microgramsPerCubicMetre, e: 9))
    }
}
