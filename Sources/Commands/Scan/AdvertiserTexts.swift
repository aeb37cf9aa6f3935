// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothProfiles
import Terminal
import Toolkit

/// The texts of an advertiser for a table, one for each column; all of them safe to print.
struct AdvertiserTexts {
    private let device: AdvertiserInfo
    /// The names of services.
    private let formats: FormatCatalogue

    init(_ device: AdvertiserInfo, _ formats: FormatCatalogue = .assigned) {
        self.device = device
        self.formats = formats
    }

    /// The name; empty if there is none.
    var name: String { TerminalText.escaped(device.name?.text ?? "") }

    var address: String { device.address.type == .anonymous ? "anonymous" : device.address.address.description }

    /// The kind of address in at most ten columns.
    var kind: String {
        switch device.address.kind {
        case .randomStatic: "static"
        case .nonResolvable: "non-resolv"
        case let other: other.rawValue
        }
    }

    var txPower: String { device.txPower.map { ($0 > 0 ? "+" : "") + String($0) } ?? "" }

    var services: String { device.services.map { text(ofService: $0) }.joined(separator: ", ") }

    var manufacturers: String {
        var names: [String] = []
        for data in device.manufacturerData {
            let name = Self.name(ofCompany: data.company)
            if !names.contains(name) { names.append(name) }
        }
        return TerminalText.escaped(names.joined(separator: ", "))
    }

    /// The beacons, the last content of each.
    func beacons(_ separator: String) -> String {
        TerminalText.escaped(device.beacons.map { BeaconPresentation($0).text }.joined(separator: separator))
    }

    /// Services, beacons, manufacturers and other data in one text, for a narrow table. The service and the
    /// manufacturer of a beacon say nothing more.
    func everything(_ separator: String) -> String {
        let isBeacon = !device.beacons.isEmpty
        return Self.joined([otherServices, beacons(separator), isBeacon ? "" : manufacturers, otherData], separator)
    }

    /// Services and beacons, or else whose data it sends, for a line.
    var line: String {
        let main = Self.joined([otherServices, beacons(", ")])
        return Self.joined([main.isEmpty ? Self.joined([manufacturers, otherData]) : main, forgotten])
    }

    private var otherServices: String {
        let ofBeacons = device.beacons.compactMap(\.content.service)
        return Self.joined(device.services.filter { !ofBeacons.contains($0) }.map(text(ofService:)))
    }

    /// Whose service data it sends, apart from services that it lists, and from beacons.
    var otherData: String {
        let known = device.services + device.beacons.compactMap(\.content.service)
        var services: [BluetoothUUID] = []
        for data in device.serviceData where !known.contains(data.uuid) && !services.contains(data.uuid) {
            services.append(data.uuid)
        }
        return Self.joined(services.map { "service data \(text(ofService: $0))" })
    }

    /// That it sends more than is kept; empty for most devices.
    private var forgotten: String { device.forgottenCount == 0 ? "" : "and \(device.forgottenCount) earlier ones" }

    private static func joined(_ parts: [String], _ separator: String = ", ") -> String {
        parts.filter { !$0.isEmpty }.joined(separator: separator)
    }

    /// Whether any of the texts contains another one, in any case.
    func contains(_ text: String) -> Bool {
        let wanted = text.lowercased()
        return [name, address, kind, services, otherData, manufacturers, beacons(" ")].contains {
            $0.lowercased().contains(text: wanted)
        }
    }

    /// The name of a service, or else its UUID; safe to print.
    private func text(ofService service: BluetoothUUID) -> String {
        TerminalText.escaped(formats.name(ofService: service) ?? service.description)
    }

    static func name(ofCompany company: UInt16) -> String {
        AssignedNumbers.companyName(company) ?? "company 0x\(Hex.string(company, minimumDigits: 4))"
    }
}
