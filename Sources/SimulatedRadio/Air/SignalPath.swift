// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost

/// The way from one device to the adapter: how strong its packets arrive, and which are lost.
///
/// The strength wanders slowly around its mean, as when people move about, and each packet fades a little by itself.
struct SignalPath: Sendable {
    private let mean: Double
    private var wander = 0.0
    private var generator: SeededGenerator

    init(mean: Int8, generator: SeededGenerator) {
        self.mean = Double(mean)
        self.generator = generator
    }

    /// The strength of the next packet in dBm.
    mutating func strength() -> Int8 {
        wander = wander * 0.9 + generator.bell() * 1.2
        let level = mean + wander + generator.bell() * 0.8
        return Int8(max(-110, min(20, level.rounded(.toNearestOrAwayFromZero))))
    }

    /// The strength of the next packet, or `nil` where it is lost: one in fifty, and more the weaker they are.
    mutating func receive() -> Int8? {
        let strength = strength()
        let loss = strength > -80 ? 0.02 : min(0.9, 0.02 + Double(-80 - Int(strength)) * 0.04)
        return generator.happens(loss) ? nil : strength
    }
}
