// SPDX-License-Identifier: MIT

import Bluetooth

// Devices that measure a body.
extension Profile {
    /// Heart-rate straps, watches and armbands.
    ///
    /// Spec: Heart Rate Profile 1.0; Heart Rate Service 1.0
    public static let heartRate = Profile(
        name: "heart-rate",
        title: "Heart Rate",
        services: [0x180D],
        sources: [ProfileSource(0x2A37, in: 0x180D, as: "heart-rate")]
    )

    /// Clinical thermometers: the final temperature, and those on the way to it.
    ///
    /// Spec: Health Thermometer Service 1.0, 3
    public static let thermometer = Profile(
        name: "thermometer",
        title: "Health Thermometer",
        services: [0x1809],
        sources: [
            ProfileSource(0x2A1C, in: 0x1809, as: "temperature"),
            ProfileSource(0x2A1E, in: 0x1809, as: "intermediate"),
        ]
    )

    /// Blood pressure cuffs: the result, and the pressure while they measure.
    ///
    /// Spec: Blood Pressure Service 1.1, 3
    public static let bloodPressure = Profile(
        name: "blood-pressure",
        title: "Blood Pressure",
        services: [0x1810],
        sources: [
            ProfileSource(0x2A35, in: 0x1810, as: "pressure"),
            ProfileSource(0x2A36, in: 0x1810, as: "cuff"),
        ]
    )

    /// Glucose meters, which send the measurements that they have stored.
    ///
    /// Spec: Glucose Profile 1.0.1, 4; Glucose Service 1.0.1, 3
    public static let glucose = Profile(
        name: "glucose",
        title: "Glucose",
        services: [0x1808],
        sources: [
            ProfileSource(0x2A18, in: 0x1808, as: "record"),
            ProfileSource(0x2A34, in: 0x1808, as: "context"),
        ],
        mode: .storedRecords(RecordAccess(service: 0x1808, record: 0x2A18))
    )

    /// Glucose sensors that are worn, and measure every few minutes.
    ///
    /// Spec: Continuous Glucose Monitoring Service 1.0.2, 3
    public static let continuousGlucose = Profile(
        name: "cgm",
        title: "Continuous Glucose Monitoring",
        services: [0x181F],
        sources: [ProfileSource(0x2AA7, in: 0x181F, as: "glucose")]
    )

    /// Pulse oximeters: single measurements, and those of one that is worn.
    ///
    /// Spec: Pulse Oximeter Service 1.0, 3
    public static let pulseOximeter = Profile(
        name: "pulse-oximeter",
        title: "Pulse Oximeter",
        services: [0x1822],
        sources: [
            ProfileSource(0x2A5E, in: 0x1822, as: "spot-check"),
            ProfileSource(0x2A5F, in: 0x1822, as: "continuous"),
        ]
    )

    /// Scales.
    ///
    /// Spec: Weight Scale Service 1.0, 3
    public static let weight = Profile(
        name: "weight",
        title: "Weight Scale",
        services: [0x181D],
        sources: [ProfileSource(0x2A9D, in: 0x181D, as: "weight")]
    )

    /// Scales that look into a body.
    ///
    /// Spec: Body Composition Service 1.0, 3
    public static let bodyComposition = Profile(
        name: "body-composition",
        title: "Body Composition",
        services: [0x181B],
        sources: [ProfileSource(0x2A9C, in: 0x181B, as: "body-composition")]
    )
}
