// SPDX-License-Identifier: MIT

import Bluetooth

extension CharacteristicValue {
    /// Measurements of fitness machines. A machine may divide a measurement among several values ("more data").
    ///
    /// Most machines in use speak edition 1.0. The supplement has made resistance levels whole numbers of one octet, and
    /// the pace of a treadmill a time; the other fields are the same in both.
    ///
    /// Spec: Fitness Machine Service 1.0.1, 4; GATT Specification Supplement; Fitness Machine Service 1.0, 4
    static func fitnessMachine(_ formats: inout FormatTable) {
        formats[0x2ACD] = {
            .either(
                treadmill(
                    pace: .number("pace", .u16, .secondsPer500Metres, if: .set(5)).labelled("pace per 500 m"),
                    average: .number("average pace", .u16, .secondsPer500Metres, if: .set(6))
                        .labelled("average pace per 500 m")
                ),
                earlier: treadmill(
                    pace: .number("pace", .u8, .kilometresPerMinute, e: -1, if: .set(5)),
                    average: .number("average pace", .u8, .kilometresPerMinute, e: -1, if: .set(6))
                )
            )
        }
        formats[0x2ACE] = {
            .either(
                crossTrainer(resistance: .number("resistance level", .u8, if: .set(7))),
                // Here in tenths, unlike in the other machines of that edition.
                earlier: crossTrainer(resistance: .number("resistance level", .s16, e: -1, if: .set(7)))
            )
        }
        formats[0x2ACF] = { stepClimber }
        formats[0x2AD0] = { stairClimber }
        formats[0x2AD1] = { .either(rower(resistance: .u8), earlier: rower(resistance: .s16)) }
        formats[0x2AD2] = {
            .either(indoorBike(resistance: .u8), earlier: indoorBike(resistance: .s16))
        }
    }

    /// The data of a treadmill. The speed is there if bit 0, "more data", is clear, so that only one of several
    /// values has it. All other bits announce a field if they are set.
    ///
    /// - Parameters:
    ///   - pace: The pace, which differs between editions of the service.
    ///   - average: The average pace.
    private static func treadmill(pace: Field, average: Field) -> CharacteristicFormat {
        machine(
            .number("speed", .u16, .kilometresPerHour, e: -2, if: .clear(0)),
            .number("average speed", .u16, .kilometresPerHour, e: -2, if: .set(1)),
            .number("total distance", .u24, .metres, if: .set(2)),
            .number("inclination", .s16, .percent, e: -1, not: [0x7FFF: "not available"], if: .set(3)),
            .number("ramp angle", .s16, .degrees, e: -1, not: [0x7FFF: "not available"], if: .set(3)),
            .number("positive elevation gain", .u16, .metres, e: -1, if: .set(4)),
            .number("negative elevation gain", .u16, .metres, e: -1, if: .set(4)),
            pace,
            average,
            exertionFrom: 7,
            and: [
                .number("force on belt", .s16, .newtons, not: [0x7FFF: "not available"], if: .set(12)),
                .number("power", .s16, .watts, not: [0x7FFF: "not available"], if: .set(12)),
            ]
        )
    }

    /// - Parameter resistance: The resistance level, which differs between editions of the service.
    private static func crossTrainer(resistance: Field) -> CharacteristicFormat {
        machine(
            .part("direction", 15...15, [0: "forward", 1: "backward"]),
            .number("speed", .u16, .kilometresPerHour, e: -2, if: .clear(0)),
            .number("average speed", .u16, .kilometresPerHour, e: -2, if: .set(1)),
            .number("total distance", .u24, .metres, if: .set(2)),
            .number("step rate", .u16, .perMinute, if: .set(3)),
            .number("average step rate", .u16, .perMinute, if: .set(3)),
            .number("stride count", .u16, e: -1, if: .set(4)),
            .number("positive elevation gain", .u16, .metres, if: .set(5)),
            .number("negative elevation gain", .u16, .metres, if: .set(5)),
            .number("inclination", .s16, .percent, e: -1, not: [0x7FFF: "not available"], if: .set(6)),
            .number("ramp setting", .s16, .degrees, e: -1, not: [0x7FFF: "not available"], if: .set(6)),
            resistance,
            .number("power", .s16, .watts, if: .set(8)),
            .number("average power", .s16, .watts, if: .set(9)),
            flags: .u24,
            exertionFrom: 10
        )
    }

    private static var stepClimber: CharacteristicFormat {
        machine(
            .number("floors", .u16, if: .clear(0)),
            .number("step count", .u16, if: .clear(0)),
            .number("step rate", .u16, .perMinute, if: .set(1)),
            .number("average step rate", .u16, .perMinute, if: .set(2)),
            .number("positive elevation gain", .u16, .metres, if: .set(3)),
            exertionFrom: 4
        )
    }

    private static var stairClimber: CharacteristicFormat {
        machine(
            .number("floors", .u16, if: .clear(0)),
            .number("step rate", .u16, .perMinute, if: .set(1)),
            .number("average step rate", .u16, .perMinute, if: .set(2)),
            .number("positive elevation gain", .u16, .metres, if: .set(3)),
            .number("stride count", .u16, if: .set(4)),
            exertionFrom: 5
        )
    }

    /// - Parameter resistance: The integer of the resistance level, whose width differs between editions of the service.
    private static func rower(resistance: IntegerFormat) -> CharacteristicFormat {
        machine(
            .number("stroke rate", .u8, .perMinute, b: -1, if: .clear(0)),
            .number("stroke count", .u16, if: .clear(0)),
            .number("average stroke rate", .u8, .perMinute, b: -1, if: .set(1)),
            .number("total distance", .u24, .metres, if: .set(2)),
            .number("pace", .u16, .secondsPer500Metres, if: .set(3)).labelled("pace per 500 m"),
            .number("average pace", .u16, .secondsPer500Metres, if: .set(4)).labelled("average pace per 500 m"),
            .number("power", .s16, .watts, if: .set(5)),
            .number("average power", .s16, .watts, if: .set(6)),
            .number("resistance level", resistance, if: .set(7)),
            exertionFrom: 8
        )
    }

    /// - Parameter resistance: The integer of the resistance level, whose width differs between editions of the service.
    private static func indoorBike(resistance: IntegerFormat) -> CharacteristicFormat {
        machine(
            .number("speed", .u16, .kilometresPerHour, e: -2, if: .clear(0)),
            .number("average speed", .u16, .kilometresPerHour, e: -2, if: .set(1)),
            .number("cadence", .u16, .rpm, b: -1, if: .set(2)),
            .number("average cadence", .u16, .rpm, b: -1, if: .set(3)),
            .number("total distance", .u24, .metres, if: .set(4)),
            .number("resistance level", resistance, if: .set(5)),
            .number("power", .s16, .watts, if: .set(6)),
            .number("average power", .s16, .watts, if: .set(7)),
            exertionFrom: 8
        )
    }

    /// The data of a machine. They begin with flags, and all machines say in the same way what the exercise has cost.
    ///
    /// - Parameters:
    ///   - fields: What the machine measures.
    ///   - bit: The flag of the energy. Those of the other fields follow it.
    ///   - others: What follows.
    private static func machine(
        _ fields: Field...,
        flags: IntegerFormat = .u16,
        exertionFrom bit: Int,
        and others: [Field] = []
    ) -> CharacteristicFormat {
        let exertion: [Field] = [
            .number("total energy", .u16, .kilocalories, not: notAvailable16, if: .set(bit)),
            .number("energy", .u16, .kilocaloriesPerHour, not: notAvailable16, if: .set(bit)),
            .number("energy", .u8, .kilocaloriesPerMinute, not: notAvailable8, if: .set(bit)),
            .number("heart rate", .u8, .bpm, if: .set(bit + 1)),
            .number("metabolic equivalent", .u8, .metabolicEquivalents, e: -1, if: .set(bit + 2)),
            .number("elapsed time", .u16, .seconds, if: .set(bit + 3)),
            .number("remaining time", .u16, .seconds, if: .set(bit + 4)),
        ]
        let start: [Field] = [.flags(flags), .flag("more data", bit: 0)]
        return CharacteristicFormat(.fields(FieldGroup(start + fields + exertion + others)))
    }

    private static var notAvailable8: [UInt64: String] { [0xFF: "not available"] }
    private static var notAvailable16: [UInt64: String] { [0xFFFF: "not available"] }
}
