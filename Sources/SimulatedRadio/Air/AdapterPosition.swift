// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices

/// The place of an adapter, which determines the signal strength of each device.
enum AdapterPosition: Hashable, Sendable {
    /// The place at which the signals of device files are measured.
    case usual
    /// That of the second adapter of a machine, in another corner of the room.
    case second

    /// How much stronger or weaker a device can be at the second adapter, in dB, if its file does not say.
    private static let difference = 12.0

    /// The mean strength of a device there.
    func level(of signal: DeviceSignal, at uptime: Duration, address: DeviceAddress) -> SignalLevel {
        let level = signal.level(at: uptime)
        guard self == .second else { return level }
        let change: Double
        if let second = signal.secondRSSI {
            // A difference, because the mean at the usual place may move along a path.
            change = Double(second) - Double(signal.rssi)
        } else {
            // The same in every run: the device stands where it stands.
            var generator = SeededGenerator(seed: address.address.rawValue, stream: 0x706C_6163)
            let share = Double(generator.next() % 1_001) / 1_000
            change = (share * 2 - 1) * Self.difference
        }
        return SignalLevel(mean: level.mean + change, wanders: level.wanders)
    }
}
