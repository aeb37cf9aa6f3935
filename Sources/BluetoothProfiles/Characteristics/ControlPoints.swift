// SPDX-License-Identifier: MIT

import Bluetooth

extension CharacteristicValue {
    /// Control points: a request or a response begins with an op code, which determines the rest.
    ///
    /// Spec: GATT Specification Supplement; the parameters: Cycling Power Service 1.1, 3.4; Location and Navigation
    /// Service 1.0, 3.4; Glucose Service 1.0.1, 3.4; Continuous Glucose Monitoring Service 1.0.2, 3.8
    static func controlPoints(_ formats: inout FormatTable) {
        formats[0x2A52] = fields([
            .flags(.u8),
            .opCode(recordAccess),
            .choice(
                "operator",
                .u8,
                [
                    0: "null", 1: "all records", 2: "less than or equal to", 3: "greater than or equal to",
                    4: "within range", 5: "first record", 6: "last record",
                ]
            ),
            .number("number of records", .u16, if: .opCode(5, 8)),
            .choice("request", .u8, recordAccess, if: .opCode(6)),
            .choice("response", .u8, recordAccessResponses, if: .opCode(6)),
            .hex("operand", if: .opCode(1, 2, 4, 7)),
        ])
        formats[0x2A66] = { cyclingPowerControlPoint }
        formats[0x2A6B] = { navigationControlPoint }
        formats[0x2AAC] = { glucoseControlPoint }
    }

    private static let recordAccess: [UInt64: String] = [
        1: "report stored records", 2: "delete stored records", 3: "abort operation",
        4: "report number of stored records", 5: "number of stored records", 6: "response", 7: "combined report",
        8: "combined report response",
    ]

    private static let recordAccessResponses: [UInt64: String] = [
        1: "success", 2: "op code not supported", 3: "invalid operator", 4: "operator not supported",
        5: "invalid operand", 6: "no records found", 7: "abort unsuccessful", 8: "procedure not completed",
        9: "operand not supported", 10: "server busy",
    ]

    /// The op code determines the rest. A response has op code 32, and repeats that of its request.
    private static var cyclingPowerControlPoint: CharacteristicFormat {
        let codes: [UInt64: String] = [
            1: "set cumulative value", 2: "update sensor location", 3: "request supported sensor locations",
            4: "set crank length", 5: "request crank length", 6: "set chain length", 7: "request chain length",
            8: "set chain weight", 9: "request chain weight", 10: "set span length", 11: "request span length",
            12: "start offset compensation", 13: "mask measurement", 14: "request sampling rate",
            15: "request factory calibration date", 16: "start enhanced offset compensation", 32: "response",
        ]
        return .fields(
            .flags(.u8),
            .opCode(codes),
            .number("cumulative value", .u32, if: .opCode(1)),
            .choice("sensor location", .u8, sensorLocations, if: .opCode(2)),
            .number("crank length", .u16, .millimetres, b: -1, if: .opCode(4)),
            .number("chain length", .u16, .millimetres, if: .opCode(6)),
            .number("chain weight", .u16, .grams, if: .opCode(8)),
            .number("span length", .u16, .millimetres, if: .opCode(10)),
            .bits(
                "mask",
                .u16,
                [
                    "pedal power balance", "accumulated torque", "wheel revolutions", "crank revolutions",
                    "extreme magnitudes", "extreme angles", "top dead spot angle", "bottom dead spot angle",
                    "accumulated energy",
                ],
                if: .opCode(13)
            ),
            .choice("request", .u8, codes, if: .opCode(32)),
            .choice("response", .u8, controlPointResponses, if: .opCode(32)),
            .hex("response parameter", if: .opCode(32))
        )
    }

    private static var navigationControlPoint: CharacteristicFormat {
        let codes: [UInt64: String] = [
            1: "set cumulative value", 2: "mask location and speed", 3: "navigation control",
            4: "request number of routes", 5: "request name of route", 6: "select route", 7: "set fix rate",
            8: "set elevation", 32: "response",
        ]
        return .fields(
            .flags(.u8),
            .opCode(codes),
            .number("total distance", .u24, .metres, e: -1, if: .opCode(1)),
            .bits(
                "mask",
                .u16,
                ["speed", "total distance", "location", "elevation", "heading", "rolling time", "utc time"],
                if: .opCode(2)
            ),
            .choice(
                "navigation",
                .u8,
                [
                    0: "stop", 1: "start", 2: "pause", 3: "continue", 4: "skip waypoint",
                    5: "select nearest waypoint",
                ],
                if: .opCode(3)
            ),
            .number("route", .u16, if: .opCode(5, 6)),
            .number("fix rate", .u8, if: .opCode(7)),
            .number("elevation", .s24, .metres, e: -2, if: .opCode(8)),
            .choice("request", .u8, codes, if: .opCode(32)),
            .choice("response", .u8, controlPointResponses, if: .opCode(32)),
            .hex("response parameter", if: .opCode(32))
        )
    }

    private static var glucoseControlPoint: CharacteristicFormat {
        let codes: [UInt64: String] = [
            1: "set communication interval", 2: "get communication interval", 3: "communication interval",
            4: "set calibration value", 5: "get calibration value", 6: "calibration value",
            7: "set patient high level", 8: "get patient high level", 9: "patient high level",
            10: "set patient low level", 11: "get patient low level", 12: "patient low level",
            13: "set hypo level", 14: "get hypo level", 15: "hypo level",
            16: "set hyper level", 17: "get hyper level", 18: "hyper level",
            19: "set rate of decrease level", 20: "get rate of decrease level", 21: "rate of decrease level",
            22: "set rate of increase level", 23: "get rate of increase level", 24: "rate of increase level",
            25: "reset device specific alert", 26: "start session", 27: "stop session", 28: "response",
        ]
        let isCalibration = Field.Condition.opCode(4, 6)
        return .fields(
            .flags(.u8),
            .opCode(codes),
            .number("new interval", .u8, .minutes, if: .opCode(1)),
            // The service sends one octet, the supplement says two.
            .number("interval", .u8or16, .minutes, if: .opCode(3)),
            .sfloat("calibration", .milligramsPerDecilitre, if: isCalibration),
            .number("calibration time", .u16, .minutes, if: isCalibration),
            .word(.u8, if: isCalibration),
            .part("sample type", 0...3, sampleTypes),
            .part("sample location", 4...7, continuousSampleLocations),
            .number("next calibration time", .u16, .minutes, if: isCalibration),
            .number("calibration record", .u16, if: .opCode(4, 5, 6)),
            .bits("calibration status", .u8, ["rejected", "out of range", "pending"], if: isCalibration),
            .sfloat("level", .milligramsPerDecilitre, if: .opCode(7, 9, 10, 12, 13, 15, 16, 18)),
            .sfloat("rate", .init("mg/(dl·min)", "mg_per_dl_min"), if: .opCode(19, 21, 22, 24)),
            .choice("request", .u8, codes, if: .opCode(28)),
            .choice(
                "response",
                .u8,
                [
                    1: "success", 2: "op code not supported", 3: "invalid operand", 4: "procedure not completed",
                    5: "parameter out of range",
                ],
                if: .opCode(28)
            ),
            .checksum
        )
    }
}
