// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothProfiles

/// The filters of a scan. A device must pass the filters of every kind; for one kind, any of its values suffices.
struct ScanFilter: Sendable {
    var names: [Glob] = []
    var services: [BluetoothUUID] = []
    var addresses: [BluetoothAddress] = []
    var manufacturers: Set<UInt16> = []
    var minimumRSSI: Int?
    var connectableOnly = false

    init() {}

    /// Parses the filter options of `scan`.
    init(_ arguments: ParsedArguments) throws {
        names = arguments[ScanSpec.name].map { Glob($0) }
        for text in arguments[ScanSpec.service] {
            do throws(AttributeTarget.Problem) {
                services.append(try serviceUUID(text))
            } catch {
                throw arguments.invalid(ScanSpec.service, text, error.expectation)
            }
        }
        for text in arguments[ScanSpec.address] {
            guard let address = BluetoothAddress(text) else {
                throw arguments.invalid(ScanSpec.address, text, "expected an address such as F0:F1:F2:F3:F4:F5")
            }
            addresses.append(address)
        }
        for text in arguments[ScanSpec.manufacturer] {
            let found = Self.companies(text)
            guard !found.isEmpty else {
                throw arguments.invalid(
                    ScanSpec.manufacturer,
                    text,
                    "expected a company identifier such as 0x004C, or a part of a company's name"
                )
            }
            manufacturers.formUnion(found)
        }
        minimumRSSI = arguments[ScanSpec.rssi]
        connectableOnly = arguments[ScanSpec.connectable]
    }

    private static func companies(_ text: String) -> [UInt16] {
        let lower = text.lowercased()
        if lower.hasPrefix("0x") { return UInt16(lower.dropFirst(2), radix: 16).map { [$0] } ?? [] }
        if let number = UInt16(lower) { return [number] }
        return AssignedNumbers.companies(named: text).map(\.identifier)
    }

    /// Whether the device passes, by all data that it has sent so far and the signal strength of its last report.
    func accepts(_ device: AdvertiserInfo) -> Bool {
        if !addresses.isEmpty, !addresses.contains(device.address.address) { return false }
        if let minimumRSSI {
            guard let rssi = device.rssi, Int(rssi) >= minimumRSSI else { return false }
        }
        if connectableOnly, !device.isConnectable { return false }
        if !names.isEmpty {
            guard let name = device.name?.text, names.contains(where: { $0.matches(name) }) else { return false }
        }
        if !services.isEmpty, !services.contains(where: device.advertises) { return false }
        if !manufacturers.isEmpty, !device.manufacturerData.contains(where: { manufacturers.contains($0.company) }) {
            return false
        }
        return true
    }
}
