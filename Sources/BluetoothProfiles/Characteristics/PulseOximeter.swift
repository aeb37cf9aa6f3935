// SPDX-License-Identifier: MIT

import Bluetooth

extension CharacteristicValue {
    /// Characteristics of the Pulse Oximeter service.
    ///
    /// Spec: Pulse Oximeter Service 1.0.1, 3
    static func pulseOximeter(_ formats: inout FormatTable) {
        formats[0x2A5E] = fields([
            .flags(.u8),
            .sfloat("spo2", .percent),
            .sfloat("pulse rate", .bpm),
            .dateTime("time stamp", if: .set(0)),
            .bits("measurement status", .u16, measurementStatus, if: .set(1)),
            .bits("sensor status", .u24, sensorStatus, if: .set(2)),
            .sfloat("pulse amplitude index", .percent, if: .set(3)),
            .flag("clock not set", bit: 4),
        ])
        formats[0x2A5F] = fields([
            .flags(.u8),
            .sfloat("spo2", .percent),
            .sfloat("pulse rate", .bpm),
            .sfloat("spo2 fast", .percent, if: .set(0)),
            .sfloat("pulse rate fast", .bpm, if: .set(0)),
            .sfloat("spo2 slow", .percent, if: .set(1)),
            .sfloat("pulse rate slow", .bpm, if: .set(1)),
            .bits("measurement status", .u16, measurementStatus, if: .set(2)),
            .bits("sensor status", .u24, sensorStatus, if: .set(3)),
            .sfloat("pulse amplitude index", .percent, if: .set(4)),
        ])
        // What the device can do. The statuses are those that it may report.
        formats[0x2A60] = fields([
            .flags(.u16),
            .bit("measurement storage", 2),
            .bit("time stamp", 3),
            .bit("fast average", 4),
            .bit("slow average", 5),
            .bit("pulse amplitude index", 6),
            .bit("multiple bonds", 7),
            .bits("measurement status", .u16, measurementStatus, if: .set(0)),
            .bits("sensor status", .u24, sensorStatus, if: .set(1)),
        ])
    }

    private static let measurementStatus = [
        "", "", "", "", "", "measurement ongoing", "early estimated data", "validated data", "fully qualified data",
        "data from measurement storage", "data for demonstration", "data for testing", "calibration ongoing",
        "measurement unavailable", "questionable measurement", "invalid measurement",
    ]

    private static let sensorStatus = [
        "extended display update ongoing", "equipment malfunction", "signal processing irregularity",
        "inadequate signal", "poor signal", "low perfusion", "erratic signal", "nonpulsatile signal",
        "questionable pulse", "signal analysis ongoing", "sensor interference", "sensor unconnected to user",
        "unknown sensor connected", "sensor displaced", "sensor malfunctioning", "sensor disconnected",
    ]
}
