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
            ProfileSource(0x2ADA, in: 0x1826, as: "status"),
        ]
    )

    /// Position and speed on the way.
    ///
    /// Spec: Location and Navigation Service 1.0, 3
    public static let location = Profile(
        name: "location",
        title: "Location and Navigation",
        services: [0x1819],
        sources: [
            ProfileSource(0x2A69, in: 0x1819, as: "quality", .readThenSent),
            ProfileSource(0x2A67, in: 0x1819, as: "location"),
            ProfileSource(0x2A68, in: 0x1819, as: "navigation"),
        ]
    )
}
