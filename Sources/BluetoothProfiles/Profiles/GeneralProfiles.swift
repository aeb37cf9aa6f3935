// SPDX-License-Identifier: MIT

import Bluetooth

// Services that devices of all kinds have.
extension Profile {
    /// The charge of a battery. It is read once before it is watched, because it may not change for hours.
    ///
    /// Spec: Battery Service 1.1
    public static let battery = Profile(
        name: "battery",
        title: "Battery",
        services: [0x180F],
        sources: [ProfileSource(0x2A19, in: 0x180F, as: "level", .readThenSent)]
    )

    /// The manufacturer, the model and the versions of a device.
    ///
    /// Spec: Device Information Service 1.2
    public static let deviceInformation = Profile(
        name: "device-info",
        title: "Device Information",
        services: [0x180A],
        sources: [
            ProfileSource(0x2A29, in: 0x180A, as: "manufacturer", .readOnce),
            ProfileSource(0x2A24, in: 0x180A, as: "model", .readOnce),
            ProfileSource(0x2A25, in: 0x180A, as: "serial-number", .readOnce),
            ProfileSource(0x2A27, in: 0x180A, as: "hardware", .readOnce),
            ProfileSource(0x2A26, in: 0x180A, as: "firmware", .readOnce),
            ProfileSource(0x2A28, in: 0x180A, as: "software", .readOnce),
            ProfileSource(0x2A23, in: 0x180A, as: "system-id", .readOnce),
            ProfileSource(0x2A2A, in: 0x180A, as: "certification", .readOnce),
            ProfileSource(0x2A50, in: 0x180A, as: "pnp-id", .readOnce),
        ],
        mode: .snapshot
    )

    /// The measurements of a device's environment.
    ///
    /// Spec: Environmental Sensing Service 1.0.1, 3
    public static let environment = Profile(
        name: "environment",
        title: "Environmental Sensing",
        services: [0x181A],
        sources: [],
        wholeService: 0x181A
    )

    /// The clock of a device: the time when the command begins, and each time at which it is set.
    ///
    /// Spec: Current Time Service 1.1, 3
    public static let currentTime = Profile(
        name: "current-time",
        title: "Current Time",
        services: [0x1805],
        sources: [
            ProfileSource(0x2A0F, in: 0x1805, as: "zone", .readThenSent),
            ProfileSource(0x2A14, in: 0x1805, as: "reference", .readThenSent),
            ProfileSource(0x2A2B, in: 0x1805, as: "time", .readThenSent),
        ]
    )
}
