// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothProfiles
import Terminal
import Toolkit

/// The filters of a scan. A device must pass the filters of every kind; for one kind, any of its values suffices.
struct ScanFilter: Sendable, Equatable {
    var names: [Glob] = []
    var services: [BluetoothUUID] = []
    var devices: [DeviceIdentifier] = []
    var manufacturers: Set<UInt16> = []
    var minimumRSSI: Int?
    var connectableOnly = false
    /// The names of services, for the words.
    var formats = FormatCatalogue.assigned

    /// The filters in words, as on the command line; safe to print, and empty if there are none.
    var words: String {
        var words = names.map { "--name \($0.pattern)" }
        words += services.map { "--service \(formats.name(ofService: $0) ?? $0.description)" }
        words += devices.map { "--device \($0)" }
        if !manufacturers.isEmpty { words.append("--manufacturer") }
        if let minimumRSSI { words.append("--rssi \(minimumRSSI)") }
        if connectableOnly { words.append("--connectable") }
        return TerminalText.escaped(words.joined(separator: " "))
    }

    /// Whether the device passes, by all data that it has sent so far and the signal strength of its last report.
    func accepts(_ device: AdvertiserInfo) -> Bool {
        if !devices.isEmpty {
            let (address, name) = (device.address.address, device.name?.text)
            guard devices.contains(where: { $0.selects(address, name: name) }) else { return false }
        }
        if let minimumRSSI {
            guard let rssi = device.rssi, Int(rssi) >= minimumRSSI else { return false }
        }
        if connectableOnly, !device.isConnectable { return false }
        if !names.isEmpty {
            guard let name = device.name?.text, names.contains(where: { $0.matches(name) }) else { return false }
        }
        if !services.isEmpty, !services.contains(where: device.advertises) { return false }
        if !manufacturers.isEmpty, !manufacturers.contains(where: device.hasManufacturerData) {
            return false
        }
        return true
    }
}
