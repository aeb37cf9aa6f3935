// SPDX-License-Identifier: MIT

import BluetoothDevices

/// The path from one sender to one adapter: the signal strength of its packets, and their loss.
///
/// The strength varies slowly around its mean, as if people moved about, unless the signal is still, and each packet
/// fades a little in addition.
struct SignalPath: Sendable {
    /// The present mean, which the sender determines.
    var level: SignalLevel
    /// The present deviation from the mean, in dB.
    private var wander = 0.0
    /// Makes the deviations and the losses of this path.
    private var generator: SeededGenerator

    init(_ level: SignalLevel, generator: SeededGenerator) {
        self.level = level
        self.generator = generator
    }

    /// The strength of the next packet in dBm.
    mutating func strength() -> Int8 {
        // The factor below 1 pulls the strength back, so that it stays near its mean however long the world runs.
        if level.wanders { wander = wander * 0.9 + generator.bell() * 1.2 }
        let strength = level.mean + (level.wanders ? wander : 0) + generator.bell() * 0.8
        // HCI has no RSSI above 20 dBm. The lower bound is below the sensitivity of receivers.
        return Int8(max(-110, min(20, strength.rounded(.toNearestOrAwayFromZero))))
    }

    /// The strength of the next packet; `nil` if it is lost: two in a hundred, and more below -80 dBm.
    mutating func receive() -> Int8? {
        let strength = strength()
        let loss = strength > -80 ? 0.02 : min(0.9, 0.02 + Double(-80 - Int(strength)) * 0.04)
        return generator.happens(loss) ? nil : strength
    }
}
