// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import BluetoothProfiles

/// One report of a scan, with what is known of the device from earlier ones.
struct AdvertisementResult: CommandResult {
    let report: ScanReport
    let device: AdvertiserInfo

    var record: Record {
        let report = self.report.report
        let data = self.report.data
        return Record(
            "advertisement",
            at: Timestamp(self.report),
            [
                "address": report.address.type == .anonymous ? .null : .string(report.address.address.description),
                "address_type": .string(report.address.type.description),
                "address_kind": .string(report.address.kind.rawValue),
                "rssi_dbm": .optional(report.rssi),
                "tx_power_dbm": .optional(report.txPower ?? data.txPower),
                "connectable": .bool(report.properties.contains(.connectable)),
                "scannable": .bool(report.properties.contains(.scannable)),
                "scan_response": .bool(report.properties.contains(.scanResponse)),
                "directed": .bool(report.properties.contains(.directed)),
                "legacy": .bool(report.properties.contains(.legacy)),
                "primary_phy": .string(report.primaryPHY.description.lowercased()),
                "secondary_phy": .optional(report.secondaryPHY?.description.lowercased()),
                "advertising_sid": .optional(report.advertisingSID),
                "name": .optional(device.name?.text),
                "name_raw": .optional((device.name?.bytes).map { Hex.string($0) }),
                "services": .array(device.services.map { .string($0.description) }),
                "service_names": .array(device.services.map { .optional(AssignedNumbers.name(ofService: $0)) }),
                "manufacturer": .array(data.manufacturerData.map { JSONValue($0) }),
                "service_data": .array(data.serviceData.map { JSONValue($0) }),
                "appearance": .optional(data.appearance),
                "beacon": data.beacon.map { BeaconPresentation($0).json } ?? .null,
                "flags": .array((data.flags?.names ?? []).map { .string($0) }),
                "data": .string(Hex.string(report.data)),
                "ad": .array(data.structures.map { JSONValue($0) }),
            ]
        )
    }

    func text(_ style: TextStyle) -> String? { Self.line(of: device, style) }

    /// A device on one line.
    static func line(of device: AdvertiserInfo, _ style: TextStyle) -> String {
        let columns = DeviceColumns(device)
        var line = "\(columns.address)  \(TerminalText.padded(columns.kind, columns: 14))  \(columns.rssi) dBm  "
        line += columns.name.isEmpty ? style.paint("(no name)", .faint) : style.paint(columns.name, .cyan)
        if !columns.what.isEmpty { line += "  \(columns.what)" }
        return line
    }
}

/// What a line or a row of the table says of a device; safe to print.
struct DeviceColumns {
    let name: String
    let address: String
    let kind: String
    let rssi: String
    let what: String

    init(_ device: AdvertiserInfo) {
        name = TerminalText.escaped(device.name?.text ?? "")
        address = device.address.type == .anonymous ? "anonymous        " : device.address.address.description
        kind = device.address.kind.rawValue
        rssi = device.rssi.map { String($0) } ?? "?"
        what = TerminalText.escaped(Self.description(of: device))
    }

    /// The beacon, or else the services, or else whose data it sends.
    private static func description(of device: AdvertiserInfo) -> String {
        if let beacon = device.beacon { return BeaconPresentation(beacon).text }
        let services = device.services.map { AssignedNumbers.name(ofService: $0) ?? $0.description }
        if !services.isEmpty { return services.joined(separator: ", ") }
        let companies = device.manufacturerData.map {
            AssignedNumbers.companyName($0.company) ?? "company 0x\(Hex.string($0.company, minimumDigits: 4))"
        }
        return companies.joined(separator: ", ")
    }
}

extension Timestamp {
    /// When the report came.
    init(_ report: ScanReport) {
        self.init(wall: report.wall, monotonic: report.instant)
    }
}

extension JSONValue {
    fileprivate init(_ data: ADManufacturerData) {
        self = .object([
            "company_id": .integer(Int64(data.company)),
            "company_name": .optional(AssignedNumbers.companyName(data.company)),
            "data": .string(Hex.string(data.data)),
        ])
    }

    fileprivate init(_ data: ADServiceData) {
        self = .object([
            "uuid": .string(data.uuid.description),
            "name": .optional(AssignedNumbers.name(ofService: data.uuid)),
            "data": .string(Hex.string(data.data)),
        ])
    }

    fileprivate init(_ structure: ADStructure) {
        self = .object([
            "type": .integer(Int64(structure.type.rawValue)),
            "name": .optional(structure.type.name),
            "data": .string(Hex.string(structure.data)),
            "text": .string(structure.element.description),
        ])
    }
}
