// SPDX-License-Identifier: MIT

import Bluetooth

extension CharacteristicValue {
    /// Plain quantities that belong to no service.
    ///
    /// Spec: GATT Specification Supplement
    static func quantities(_ formats: inout FormatTable) {
        formats[0x2AE2] = { .fields(.choice("boolean", .u8, [0: "false", 1: "true"])) }
        formats[0x2AE8] = { .fields(.float32("coefficient")) }
        formats[0x2AEA] = { .fields(.number("count", .u16, not: notKnown16)) }
        formats[0x2AEB] = { .fields(.number("count", .u24, not: notKnown24)) }
        formats[0x2AEC] = { .fields(.number("country code", .u16, not: notKnown16, in: 0...4_095)) }
        formats[0x2AF4] = fields([
            .number("events", .u16, not: notKnown16),
            .number("average event duration", .u16, .seconds, not: notKnown16),
            .timeExponential("since last event"),
            .timeExponential("sensing duration"),
        ])
        formats[0x2AF5] = { .fields(.text("text", octets: 16)) }
        formats[0x2AF6] = { .fields(.text("text", octets: 24)) }
        formats[0x2AF7] = { .fields(.text("text", octets: 36)) }
        formats[0x2AF8] = { .fields(.text("text", octets: 8)) }
        formats[0x2BDE] = { .fields(.text("text", octets: 64)) }
        formats[0x2AF9] = { .fields(.number("generic level", .u16)) }
        formats[0x2AFA] = { .fields(.number("global trade item number", .u48, not: [0: "not known"])) }
        formats[0x2ABE] = { .text }
        formats[0x2ABF] = { .fields(.uuid("object type")) }
        formats[0x2AC3] = { .fields(.number("object id", .u48)) }
        formats[0x2B02] = { .fields(.number("mass flow", .u16, .gramsPerSecond, not: notKnown16)) }
        formats[0x2B04] = { .fields(percentage("percentage")) }
        formats[0x2B08] = fields([
            percentage("relative runtime"),
            .number("minimum level", .u16),
            .number("maximum level", .u16),
        ])
        formats[0x2B0B] = {
            .fields(percentage("relative value"), timeOfDay("start time"), timeOfDay("end time"))
        }
        formats[0x2B12] = { .fields(timeOfDay("time")) }
        formats[0x2B13] = { .fields(.timeExponential("time")) }
        formats[0x2B14] = { .fields(.number("time", .u24, .hours, not: notKnown24)) }
        formats[0x2B15] = { .fields(.number("time", .u24, .seconds, e: -3, not: notKnown24)) }
        formats[0x2B16] = { .fields(.number("time", .u16, .seconds, not: notKnown16)) }
        formats[0x2B17] = { .fields(.number("time", .u8, .seconds, not: notKnown8)) }
        formats[0x2B1B] = {
            .fields(.number("volume flow", .u16, .litresPerSecond, e: -3, not: notKnown16))
        }
        formats[0x2B8D] = {
            .fields(.number("cosine of the angle", .s8, e: -2, not: [0x7F: "not known"], in: -100...100))
        }
        formats[0x2BBA] = { .fields(.number("content control id", .u8)) }
        formats[0x2BE6] = { .fields(.number("time", .u32, .seconds, not: [0xFFFF_FFFF: "not known"])) }
        formats[0x2C05] = { .fields(.number("steps", .u8, not: notKnown8, in: 1...200)) }
        formats[0x2C30] = {
            .fields(.number("airflow", .u16, .cubicMetresPerSecond, e: -3, not: notKnown16))
        }
    }

    static func percentage(_ name: String) -> Field { .number(name, .u8, .percent, b: -1, not: notKnown8, in: 0...200) }

    static func timeOfDay(_ name: String) -> Field { .number(name, .u8, .hours, e: -1, not: notKnown8, in: 0...239) }

    /// Temperatures other than the plain one, and their statistics.
    ///
    /// Spec: GATT Specification Supplement
    static func temperatureStatistics(_ formats: inout FormatTable) {
        formats[0x2B0C] = fields([
            percentage("relative value"),
            temperature("minimum temperature"),
            temperature("maximum temperature"),
        ])
        formats[0x2B0D] = { .fields(temperature8("temperature")) }
        formats[0x2B0E] = {
            .fields(temperature8("temperature"), timeOfDay("start time"), timeOfDay("end time"))
        }
        formats[0x2B0F] = fields([
            temperature8("average"),
            temperature8("standard deviation"),
            temperature8("minimum"),
            temperature8("maximum"),
            .timeExponential("sensing duration"),
        ])
        formats[0x2B10] = {
            .fields(temperature("minimum temperature"), temperature("maximum temperature"))
        }
        formats[0x2B11] = fields([
            temperature("average"),
            temperature("standard deviation"),
            temperature("minimum"),
            temperature("maximum"),
            .timeExponential("sensing duration"),
        ])
        formats[0x2BDF] = fields([
            .number(
                "temperature",
                .s16,
                .celsius,
                b: -1,
                not: [0x8000: "not known", 0x8001: "not valid"],
                in: -546...32_767
            )
        ])
    }

    private static func temperature(_ name: String) -> Field {
        .number(name, .s16, .celsius, e: -2, not: [0x8000: "not known"], in: -27_315...32_767)
    }

    private static func temperature8(_ name: String) -> Field {
        .number(name, .s8, .celsius, b: -1, not: [0x7F: "not known"])
    }
}
