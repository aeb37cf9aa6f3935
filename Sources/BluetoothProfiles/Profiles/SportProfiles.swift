// SPDX-License-Identifier: MIT

import Bluetooth

// Devices that measure movement.
extension Profile {
    /// Sensors on bicycles that count the revolutions of a wheel and of a crank.
    ///
    /// Spec: Cycling Speed and Cadence Profile 1.0; Cycling Speed and Cadence Service 1.0, 3
    public static let cyclingSpeed = Profile(
        name: "cycling-speed",
        title: "Cycling Speed and Cadence",
        services: [0x1816],
        sources: [ProfileSource(0x2A5B, in: 0x1816, as: "revolutions").deriving(.revolutions(.cyclingSpeed))]
    )

    /// Power meters on bicycles.
    ///
    /// Spec: Cycling Power Profile 1.1; Cycling Power Service 1.1, 3
    public static let cyclingPower = Profile(
        name: "cycling-power",
        title: "Cycling Power",
        services: [0x1818],
        sources: [ProfileSource(0x2A63, in: 0x1818, as: "power").deriving(.revolutions(.cyclingPower))]
    )

    /// Foot pods.
    ///
    /// Spec: Running Speed and Cadence Service 1.0, 3
    public static let runningSpeed = Profile(
        name: "running-speed",
        title: "Running Speed and Cadence",
        services: [0x1814],
        sources: [ProfileSource(0x2A53, in: 0x1814, as: "running")]
    )

    /// Machines in a gym. Each kind has its own characteristic, and reports its state.
    ///
    /// Spec: Fitness Machine Service 1.0, 4
    public static let fitnessMachine = Profile(
        name: "fitness-machine",
        title: "Fitness Machine",
        services: [0x1826],
        sources: [
            ProfileSource(0x2ACD, in: 0x1826, as: "treadmill"),
            ProfileSource(0x2ACE, in: 0x1826, as: "cross-trainer"),
            ProfileSource(0x2ACF, in: 0x1826, as: "step-climber"),
            ProfileSource(0x2AD0, in: 0x1826, as: "stair-climber"),
            ProfileSource(0x2AD1, in: 0x1826, as: "rower"),
            ProfileSource(0x2AD2, in: 0x1826, as: "bike"),
            ProfileSource(0x2AD3, in: 0x1826, as: "training"),
            ProfileSource(0x2ADA, in: 0x1826, as: "status").formatted(machineStatus),
        ]
    )

    /// Spec: Fitness Machine Service 1.0, 4.17
    private static var machineStatus: CharacteristicFormat {
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
            .number("target resistance", .u8, e: -1, if: .opCode(7)),
            .number("target power", .s16, .watts, if: .opCode(8)),
            .number("target heart rate", .u8, .bpm, if: .opCode(9)),
            .number("target energy", .u16, .kilocalories, if: .opCode(10)),
            .number("target steps", .u16, if: .opCode(11)),
            .number("target strides", .u16, if: .opCode(12)),
            .number("target distance", .u24, .metres, if: .opCode(13)),
            .number("target time", .u16, .seconds, if: .opCode(14)),
            .number("wheel circumference", .u16, .millimetres, e: -1, if: .opCode(19)),
            .choice(
                "spin down",
                .u8,
                [1: "requested", 2: "success", 3: "error", 4: "stop pedaling"],
                if: .opCode(20)
            ),
            .number("target cadence", .u16, .rpm, b: -1, if: .opCode(21)),
            .hex("parameter", if: .opCode(15, 16, 17, 18))
        )
    }

    /// Position and speed on the way.
    ///
    /// Spec: Location and Navigation Service 1.0, 3
    public static let location = Profile(
        name: "location",
        title: "Location and Navigation",
        services: [0x1819],
        sources: [
            ProfileSource(0x2A69, in: 0x1819, as: "quality", .readOnce),
            ProfileSource(0x2A67, in: 0x1819, as: "location"),
            ProfileSource(0x2A68, in: 0x1819, as: "navigation"),
        ]
    )
}
