// SPDX-License-Identifier: MIT

import Bluetooth

/// A plug with a loose contact, which every third shake interrupts: `loose-contact` in a device file.
struct LooseContactProgram: DeviceProgram {
    static let values: [String] = []
    static let commands = ["shake"]

    /// The time without power.
    private static let interruption = Duration.seconds(2)

    private var shakes = 0

    mutating func value(_ name: String, isSent: Bool, now: Instant, _ random: inout SeededGenerator) -> [UInt8] { [] }

    mutating func run(_ command: String, _ written: [UInt8], now: Instant) -> [DeviceAction] {
        shakes += 1
        return shakes.isMultiple(of: 3) ? [.leave(Self.interruption)] : []
    }
}
