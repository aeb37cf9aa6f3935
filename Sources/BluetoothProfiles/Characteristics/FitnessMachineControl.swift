// SPDX-License-Identifier: MIT

import Bluetooth

extension CharacteristicValue {
    /// Fitness Machine Control Point, with the procedures that a client requests, and Fitness Machine Status, with the
    /// changes that the machine reports. Both begin with an op code, which determines the rest.
    ///
    /// Machines differ in the width of a resistance level, as they do in their measurements: the service has one octet,
    /// and some send two.
    ///
    /// Spec: Fitness Machine Service 1.0.1, 4.16 and 4.17
    static func fitnessMachineControl(_ formats: inout FormatTable) {
        formats[0x2AD9] = {
            .either(machineControlPoint(resistance: .u8), earlier: machineControlPoint(resistance: .s16))
        }
        formats[0x2ADA] = { .either(machineStatus(resistance: .u8), earlier: machineStatus(resistance: .s16)) }
    }

    /// - Parameter resistance: The integer of the target resistance level.
    private static func machineControlPoint(resistance: IntegerFormat) -> CharacteristicFormat {
        let codes: [UInt64: String] = [
            0: "request control", 1: "reset", 2: "set target speed", 3: "set target inclination",
            4: "set target resistance", 5: "set target power", 6: "set target heart rate", 7: "start or resume",
            8: "stop or pause", 9: "set target energy", 10: "set target steps", 11: "set target strides",
            12: "set target distance", 13: "set target time", 14: "set time in two zones",
            15: "set time in three zones", 16: "set time in five zones", 17: "set simulation parameters",
            18: "set wheel circumference", 19: "spin down", 20: "set target cadence", 128: "response",
        ]
        return .fields(
            .flags(.u8),
            .opCode(codes),
            .number("target speed", .u16, .kilometresPerHour, e: -2, if: .opCode(2)),
            .number("target inclination", .s16, .percent, e: -1, if: .opCode(3)),
            .number("target resistance", resistance, e: -1, if: .opCode(4)),
            .number("target power", .s16, .watts, if: .opCode(5)),
            .number("target heart rate", .u8, .bpm, if: .opCode(6)),
            .choice("action", .u8, [1: "stop", 2: "pause"], if: .opCode(8)),
            .number("target energy", .u16, .kilocalories, if: .opCode(9)),
            .number("target steps", .u16, if: .opCode(10)),
            .number("target strides", .u16, if: .opCode(11)),
            .number("target distance", .u24, .metres, if: .opCode(12)),
            .number("target time", .u16, .seconds, if: .opCode(13)),
            .series("times in zones", .u16, .seconds, if: .opCode(14, 15, 16)),
            .number("wind speed", .s16, .metresPerSecond, e: -3, if: .opCode(17)),
            .number("grade", .s16, .percent, e: -2, if: .opCode(17)),
            .number("rolling resistance", .u8, e: -4, if: .opCode(17)),
            .number("wind resistance", .u8, kilogramsPerMetre, e: -2, if: .opCode(17)),
            .number("wheel circumference", .u16, .millimetres, e: -1, if: .opCode(18)),
            .choice("spin down", .u8, [1: "start", 2: "ignore"], if: .opCode(19)),
            .number("target cadence", .u16, .rpm, b: -1, if: .opCode(20)),
            .choice("request", .u8, codes, if: .opCode(128)),
            .choice(
                "response",
                .u8,
                [
                    1: "success", 2: "op code not supported", 3: "invalid parameter", 4: "operation failed",
                    5: "control not permitted",
                ],
                if: .opCode(128)
            ),
            .hex("response parameter", if: .opCode(128))
        )
    }

    /// - Parameter resistance: The integer of the target resistance level.
    private static func machineStatus(resistance: IntegerFormat) -> CharacteristicFormat {
        .fields(
            .flags(.u8),
            .opCode([
                1: "reset", 2: "stopped or paused", 3: "stopped by the safety key", 4: "started", 5: "target speed",
                6: "target inclination", 7: "target resistance", 8: "target power", 9: "target heart rate",
                10: "target energy", 11: "target steps", 12: "target strides", 13: "target distance",
                14: "target time", 15: "target time in two zones", 16: "target time in three zones",
                17: "target time in five zones", 18: "simulation parameters", 19: "wheel circumference",
                20: "spin down", 21: "target cadence", 255: "control lost",
            ]),
            .choice("stop", .u8, [1: "stopped", 2: "paused"], if: .opCode(2)),
            .number("target speed", .u16, .kilometresPerHour, e: -2, if: .opCode(5)),
            .number("target inclination", .s16, .percent, e: -1, if: .opCode(6)),
            .number("target resistance", resistance, e: -1, if: .opCode(7)),
            .number("target power", .s16, .watts, if: .opCode(8)),
            .number("target heart rate", .u8, .bpm, if: .opCode(9)),
            .number("target energy", .u16, .kilocalories, if: .opCode(10)),
            .number("target steps", .u16, if: .opCode(11)),
            .number("target strides", .u16, if: .opCode(12)),
            .number("target distance", .u24, .metres, if: .opCode(13)),
            .number("target time", .u16, .seconds, if: .opCode(14)),
            .series("times in zones", .u16, .seconds, if: .opCode(15, 16, 17)),
            .number("wind speed", .s16, .metresPerSecond, e: -3, if: .opCode(18)),
            .number("grade", .s16, .percent, e: -2, if: .opCode(18)),
            .number("rolling resistance", .u8, e: -4, if: .opCode(18)),
            .number("wind resistance", .u8, kilogramsPerMetre, e: -2, if: .opCode(18)),
            .number("wheel circumference", .u16, .millimetres, e: -1, if: .opCode(19)),
            .choice(
                "spin down",
                .u8,
                [1: "requested", 2: "success", 3: "error", 4: "stop pedaling"],
                if: .opCode(20)
            ),
            .number("target cadence", .u16, .rpm, b: -1, if: .opCode(21))
        )
    }

    private static var kilogramsPerMetre: FieldUnit { .init("kg/m", "kg_per_m") }
}
