// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothProfiles

/// A heart rate sensor with believable beats: `heart` in a device file.
///
/// Spec: Heart Rate Service 1.0, 3
struct HeartProgram: DeviceProgram {
    /// `measurement` has the times between beats, and every tenth one the energy, as the service recommends. `rate` has
    /// neither.
    static let values = ["measurement", "rate"]
    /// A write to the Heart Rate Control Point.
    static let commands = ["reset-energy"]

    /// After a longer pause than this, beats are counted from a second ago, because those of the pause were never
    /// reported.
    private static let pause = Duration.seconds(2)

    private var heart = Heart()
    /// When a value was computed last; `nil` before the first.
    private var lastLook: Instant?
    private var measurements = 0

    /// A Heart Rate Measurement at a moment.
    mutating func value(_ name: String, isSent: Bool, now: Instant, _ random: inout SeededGenerator) -> [UInt8] {
        // The first measurement comes a second after the subscription.
        if lastLook.map({ now - $0 > Self.pause }) ?? true { heart.wake(now + .seconds(-1)) }
        lastLook = now
        let beats = heart.beats(until: now, &random)
        let isFull = name == "measurement"
        defer { if isSent { measurements += 1 } }
        return HeartRateMeasurement(
            heartRate: heart.rate,
            contact: beats.hasContact ? .detected : .notDetected,
            energyExpended: isFull && measurements.isMultiple(of: 10) ? heart.energy : nil,
            rrIntervals: isFull ? beats.intervals : []
        ).encoded()
    }

    /// Resets the energy, which is the only command.
    mutating func run(_ command: String, _ written: [UInt8], now: Instant) -> [DeviceAction] {
        heart.resetEnergy()
        return []
    }
}
