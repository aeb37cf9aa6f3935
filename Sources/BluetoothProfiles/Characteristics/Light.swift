// SPDX-License-Identifier: MIT

import Bluetooth

extension CharacteristicValue {
    /// Photometric quantities and the properties of lamps.
    ///
    /// Spec: GATT Specification Supplement
    static func light(_ formats: inout FormatTable) {
        formats[0x2AE3] = { .fields(distanceFromPlanckian) }
        formats[0x2AE4] = { .fields(chromaticity("x"), chromaticity("y")) }
        formats[0x2AE5] = { .fields(colorTemperature("color temperature"), distanceFromPlanckian) }
        formats[0x2AE6] = { .fields(.number("chromaticity tolerance", .u8, e: -4)) }
        formats[0x2AE7] = { .fields(.number("color rendering index", .s8, not: [0x7F: "not known"], in: -128...100)) }
        formats[0x2AE9] = { .fields(colorTemperature("color temperature")) }
        formats[0x2AFB] = { .fields(illuminance("illuminance")) }
        formats[0x2AFC] = {
            .fields(.number("luminous efficacy", .u16, .lumensPerWatt, e: -1, not: notKnown16, in: 0...18_000))
        }
        formats[0x2AFD] = {
            .fields(.number("luminous energy", .u24, .lumenHours, e: 3, not: notKnown24))
        }
        formats[0x2AFE] = {
            .fields(.number("luminous exposure", .u24, .luxHours, e: 3, not: notKnown24))
        }
        formats[0x2AFF] = { .fields(flux("luminous flux")) }
        formats[0x2B00] = { .fields(flux("minimum luminous flux"), flux("maximum luminous flux")) }
        formats[0x2B01] = { .fields(.number("luminous intensity", .u16, .candelas, not: notKnown16)) }
        formats[0x2B03] = { .fields(.number("perceived lightness", .u16)) }
        formats[0x2B0A] = fields([
            percentage("relative value"),
            illuminance("minimum illuminance"),
            illuminance("maximum illuminance"),
        ])
        formats[0x2B1C] = { .fields(chromaticity("chromaticity")) }
        formats[0x2BE1] = fields([
            .choice(
                "light distribution",
                .u8,
                [0: "not specified", 1: "type i", 2: "type ii", 3: "type iii", 4: "type iv", 5: "type v"]
            )
        ])
        formats[0x2BE2] = { .fields(.number("light output", .u24, .lumens, not: notValid24)) }
        formats[0x2BE3] = fields([
            .choice(
                "light source type",
                .u8,
                [
                    0: "not specified", 1: "low pressure fluorescent", 2: "high intensity discharge",
                    3: "low voltage halogen", 4: "incandescent", 5: "led", 6: "oled", 0xFD: "other", 0xFE: "none",
                    0xFF: "multiple",
                ]
            )
        ])
        formats[0x2BE5] = fields([
            percentage("relative runtime"),
            colorTemperature("minimum color temperature"),
            colorTemperature("maximum color temperature"),
        ])
        formats[0x2C1C] = { .fields(.number("illuminance", .u16, .lux, not: notKnown16)) }
    }

    private static var distanceFromPlanckian: Field {
        .number(
            "distance from planckian",
            .s16,
            e: -5,
            not: [0x7FFE: "not known", 0x7FFF: "not valid"],
            in: -5_000...5_000
        )
    }

    private static func chromaticity(_ name: String) -> Field { .number(name, .u16, b: -16) }

    private static func colorTemperature(_ name: String) -> Field {
        .number(name, .u16, .kelvin, not: notKnown16, in: 800...65_534)
    }

    private static func illuminance(_ name: String) -> Field { .number(name, .u24, .lux, e: -2, not: notKnown24) }

    private static func flux(_ name: String) -> Field { .number(name, .u16, .lumens, not: notKnown16) }
}
