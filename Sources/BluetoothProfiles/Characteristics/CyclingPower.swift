// SPDX-License-Identifier: MIT

import Bluetooth

extension CharacteristicValue {
    /// Characteristics of the Cycling Power service.
    ///
    /// Spec: Cycling Power Service 1.1, 3; GATT Specification Supplement
    static func cyclingPower(_ formats: inout FormatTable) {
        formats[0x2A63] = { measurement }
        formats[0x2A64] = fields([
            .flags(.u8),
            .part("direction", 4...5, [0: "unknown", 1: "tangential", 2: "radial", 3: "lateral"]),
            .number("crank revolutions", .u16, if: .set(0)),
            .number("last crank event", .u16, .seconds, b: -10, if: .set(0)),
            .number("first crank angle", .u16, .degrees, if: .set(1)),
            .series("forces", .s16, .newtons, if: .set(2)),
            .series("torques", .s16, .newtonMetres, b: -5, if: .set(3, clear: 2)),
        ])
        formats[0x2A65] = fields([
            .bits(
                "features",
                .u32,
                [
                    "pedal power balance", "accumulated torque", "wheel revolutions", "crank revolutions",
                    "extreme magnitudes", "extreme angles", "dead spot angles", "accumulated energy",
                    "offset compensation indicator", "offset compensation", "content masking",
                    "multiple sensor locations", "crank length adjustment", "chain length adjustment",
                    "chain weight adjustment", "span length adjustment", "torque based measurement",
                    "measurement direction", "factory calibration date", "enhanced offset compensation",
                ],
                selections: [
                    .init(
                        bits: 20...21,
                        names: [1: "not for distributed systems", 2: "for distributed systems"]
                    )
                ]
            )
        ])
    }

    private static var measurement: CharacteristicFormat {
        .fields(
            .flags(.u16),
            .number("power", .s16, .watts),
            .number("pedal power balance", .u8, .percent, b: -1, if: .set(0)),
            .number("accumulated torque", .u16, .newtonMetres, b: -5, if: .set(2)),
            .number("wheel revolutions", .u32, if: .set(4)),
            .number("last wheel event", .u16, .seconds, b: -11, if: .set(4)),
            .number("crank revolutions", .u16, if: .set(5)),
            .number("last crank event", .u16, .seconds, b: -10, if: .set(5)),
            .number("maximum force", .s16, .newtons, if: .set(6)),
            .number("minimum force", .s16, .newtons, if: .set(6)),
            .number("maximum torque", .s16, .newtonMetres, b: -5, if: .set(7)),
            .number("minimum torque", .s16, .newtonMetres, b: -5, if: .set(7)),
            .extremeAngles(if: .set(8)),
            .number("top dead spot angle", .u16, .degrees, if: .set(9)),
            .number("bottom dead spot angle", .u16, .degrees, if: .set(10)),
            .number("accumulated energy", .u16, .kilojoules, if: .set(11)),
            .part("pedal power balance reference", 1...1, [0: "unknown", 1: "left"]),
            .part("torque source", 3...3, [0: "wheel", 1: "crank"]),
            .flag("offset compensation", bit: 12)
        )
    }
}

extension Field {
    /// Two angles of 12 bits, the maximum first.
    fileprivate static func extremeAngles(if condition: Condition) -> Field {
        let group = FieldGroup(
            [
                .word(.u24),
                Field(key: "maximum", "maximum", unit: .degrees, .partNumber(0...11)).labelled(""),
                Field(key: "minimum", "minimum", unit: .degrees, .partNumber(12...23)).labelled(""),
            ],
            separator: " to "
        )
        return Field("extreme angles", unit: .degrees, if: condition, .object(group))
    }
}
