// SPDX-License-Identifier: MIT

import Bluetooth

extension CharacteristicValue {
    /// Characteristics of cookware and cooking appliances.
    ///
    /// Spec: GATT Specification Supplement
    static func cooking(_ formats: inout FormatTable) {
        formats[0x2C26] = fields([
            .choice("recipe control", .u8, [0: "read", 1: "start", 2: "stop", 3: "delete"]),
            .number("cooking step", .u16, not: [0: "unknown"]).optional,
        ])
        formats[0x2C27] = { recipeParameters }
        formats[0x2C28] = fields([
            .flags(.u8),
            .flag("user action required", bit: 0),
            .flag("last cooking step", bit: 1),
            .flag("started", bit: 2),
            .number("cooking step", .u16, not: [0: "unknown"]),
            .number("remaining time", .u16, .seconds, not: [0: "completed", 0xFFFF: "not known"], upTo: 0xFF00),
        ])
        formats[0x2C29] = { zoneCapabilities }
        for uuid: BluetoothUUID in [0x2C2A, 0x2C2B] {
            formats[uuid] = fields([
                .flags(.u16),
                .number("power", .u16, .percent, e: -1, in: 0...3_550, if: .set(0)),
                cookingTemperature("temperature", if: .set(1)),
                .number("humidity", .u16, .percent, e: -2, not: notKnown16, in: 0...10_000, if: .set(2)),
                .number("fan speed", .u8, .percent, b: -1, not: notKnown8, in: 0...200, if: .set(3)),
                .hex("manufacturer data", if: .set(4)),
            ])
        }
        formats[0x2C2E] = { .fields(cookingTemperature("temperature")) }
        formats[0x2C2F] = { .fields(.number("perceived power", .u16, .percent, e: -1, in: 0...3_550)) }
    }

    private static func cookingTemperature(_ name: String, if condition: Field.Condition = .always) -> Field {
        .number(name, .s16, .celsius, e: -1, not: [0x8000: "not known"], in: -1_000...10_000, if: condition)
    }

    private static var recipeParameters: CharacteristicFormat {
        .fields(
            .flags(.u16),
            .flag("overshoot prevention", bit: 0),
            .flag("last cooking step", bit: 1),
            .flag("user action required", bit: 2),
            .number("cooking step", .u16, not: [0: "unknown"]),
            .choice(
                "process",
                .u8,
                [
                    0: "no cooking", 1: "preheating", 2: "baking", 3: "boiling", 4: "braising", 5: "broiling",
                    6: "cooling", 7: "freezing", 8: "frying", 9: "grilling", 10: "melting", 11: "poaching",
                    12: "roasting", 13: "sauteing", 14: "simmering", 15: "sous vide", 16: "steaming", 17: "stewing",
                    255: "other",
                ]
            ).marking(16),
            .number("duration", .u16, .seconds, if: .set(16)),
            cookingTemperature("temperature", if: .set(3)),
            .number("temperature gradient", .s8, .kelvinPerSecond, e: -1, if: .set(3, and: 4)),
            .number("humidity", .u16, .percent, e: -2, not: notKnown16, in: 0...10_000, if: .set(5)),
            .bits(
                "termination",
                .u16,
                [
                    "temperature increase", "temperature decrease", "humidity increase", "humidity decrease", "", "",
                    "", "", "", "", "", "", "", "", "", "all conditions",
                ],
                if: .set(6)
            )
        )
    }

    private static var zoneCapabilities: CharacteristicFormat {
        .fields(
            .flags(.u16),
            .flag("aggregation", bit: 0),
            .flag("humidity setting", bit: 3),
            .flag("manufacturer data", bit: 5),
            .choice(
                "power technology",
                .u8,
                [
                    0: "unknown", 1: "induction", 2: "gas", 3: "radiant", 4: "refrigeration", 5: "freezer",
                    255: "manufacturer specific",
                ]
            ),
            .number("cooking steps", .u16),
            .number("nominal power", .u24, .watts, e: -1, not: notValid24, if: .set(1)),
            .number("boost level", .u8, .percent, if: .set(1)),
            .number("minimum available power", .u16, .percent, e: -1, in: 0...3_550, if: .set(1)),
            cookingTemperature("maximum temperature", if: .set(2)),
            cookingTemperature("minimum temperature", if: .set(2)),
            .number("maximum airflow", .u16, .cubicMetresPerSecond, e: -3, not: notKnown16, if: .set(4))
        )
    }
}
