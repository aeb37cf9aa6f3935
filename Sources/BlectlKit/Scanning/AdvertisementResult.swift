// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import BluetoothProfiles

/// One report of a scan, with the facts about the device from earlier ones.
struct AdvertisementResult: CommandResult {
    let report: ScanReport
    let device: AdvertiserInfo
    /// The adapter that has heard it; `nil` if there is only one.
    var adapter: String?
    /// The names of private services, beside the assigned ones.
    var formats = FormatCatalogue.assigned

    /// Legacy reports do not show whether a scan response comes from a device that accepts connections; its
    /// advertisements do.
    private var isConnectable: Bool {
        let properties = report.report.properties
        return properties.contains(.connectable) || properties.isSuperset(of: .scanRsp) && device.isConnectable
    }

    func write(to json: inout JSONWriter) {
        let report = self.report.report
        let data = self.report.data
        let beacons = data.beacons.map { BeaconPresentation($0).json }
        json.object { json in
            json.key("ad")
            json.array(data.structures) { $0.value($1) }
            json.key("adapter")
            json.string(adapter)
            json.key("address")
            json.string(report.address.type == .anonymous ? nil : report.address.address.description)
            json.key("address_kind")
            json.string(report.address.kind.rawValue)
            json.key("address_type")
            json.string(report.address.type.description)
            json.key("advertising_sid")
            json.integer(report.advertisingSID)
            json.key("appearance")
            json.integer(data.appearance)
            json.key("beacon")
            json.value(beacons.first ?? .null)
            json.key("beacons")
            json.array(beacons) { $0.value($1) }
            json.key("connectable")
            json.bool(isConnectable)
            json.key("data")
            json.hex(report.data)
            json.key("directed")
            json.bool(report.properties.contains(.directed))
            json.key("flags")
            json.array(data.flags?.names ?? []) { $0.string($1) }
            json.key("legacy")
            json.bool(report.properties.contains(.legacy))
            json.key("manufacturer")
            json.array(data.manufacturerData) { $0.value($1) }
            json.key("monotonic_ns")
            json.varying(.monotonic, of: self)
            json.key("name")
            json.string(device.name?.text)
            json.key("name_raw")
            json.hex(device.name?.bytes)
            json.key("primary_phy")
            json.string(report.primaryPHY.description.lowercased())
            json.key("rssi_dbm")
            json.varying(.rssi, of: self)
            json.key("scan_response")
            json.bool(report.properties.contains(.scanResponse))
            json.key("scannable")
            json.bool(report.properties.contains(.scannable))
            json.key("secondary_phy")
            json.string(report.secondaryPHY?.description.lowercased())
            json.key("service_data")
            json.array(data.serviceData) { $0.value($1, in: formats) }
            json.key("service_names")
            json.array(device.services) { $0.string(formats.name(ofService: $1)) }
            json.key("services")
            json.array(device.services) { $0.string($1.description) }
            json.key("time")
            json.varying(.time, of: self)
            json.key("tx_power_dbm")
            json.integer(report.txPower ?? data.txPower)
            json.key("type")
            json.string("advertisement")
        }
    }

    /// A device that was heard once may never be heard again; others mostly repeat themselves.
    var templateKey: RecordTemplateKey? {
        guard device.reportCount > 2 else { return nil }
        let elements = report.data.elementsOfContext
        return .advertisement(AdvertisementContent(report.report, device, adapter, formats, elements))
    }

    enum VaryingMember: Int {
        case monotonic
        case rssi
        case time
    }

    func write(_ member: VaryingMember, to json: inout JSONWriter) {
        switch member {
        case .monotonic: json.integer(report.instant.nanoseconds)
        case .rssi: json.integer(report.report.rssi)
        case .time: json.time(report.wall)
        }
    }

    func text(_ style: TextStyle) -> String? { Self.line(of: device, by: adapter, in: formats, style) }

    /// A device on one line.
    ///
    /// - Parameters:
    ///   - strength: The strength of its signal in dBm; `nil` for that of its last report.
    ///   - adapter: The adapter that hears it, or hears it best; `nil` if there is only one.
    ///   - formats: The names of services.
    static func line(
        of device: AdvertiserInfo,
        _ strength: Int8? = nil,
        by adapter: String?,
        in formats: FormatCatalogue,
        _ style: TextStyle
    ) -> String {
        let columns = DeviceColumns(device, formats)
        var line = ""
        // Most lines are shorter: the text grows in place.
        line.reserveCapacity(120)
        line += columns.address
        line += "  "
        line += TerminalText.padded(columns.kind, columns: 14)
        line += "  "
        line += strength.map { "\($0)" } ?? columns.rssi
        line += " dBm  "
        if let adapter {
            line += TerminalText.escaped(adapter)
            line += "  "
        }
        line += columns.name.isEmpty ? style.paint("(no name)", .faint) : style.paint(columns.name, .cyan)
        guard !columns.what.isEmpty else { return line }
        line += "  "
        line += columns.what
        return line
    }
}

/// The contents of an advertisement's record, without its time and signal strength.
struct AdvertisementContent: Hashable, Sendable {
    private let address: DeviceAddress
    private let properties: AdvertisingReport.Properties
    private let data: [UInt8]
    private let advertisingSID: UInt8?
    private let txPower: Int8?
    private let primaryPHY: LEPHY
    private let secondaryPHY: LEPHY?
    private let name: ADLocalName?
    private let services: [BluetoothUUID]
    private let isConnectable: Bool
    private let adapter: String?
    /// The private services, by whose names the record differs.
    private let named: [FormatCatalogue.Service]
    /// The elements whose meaning is not in the octets alone.
    private let elements: [ADElement]

    init(
        _ report: AdvertisingReport,
        _ device: AdvertiserInfo,
        _ adapter: String?,
        _ formats: FormatCatalogue = .assigned,
        _ elements: [ADElement] = []
    ) {
        self.adapter = adapter
        self.elements = elements
        named = formats.services
        address = report.address
        properties = report.properties
        data = report.data
        advertisingSID = report.advertisingSID
        txPower = report.txPower
        primaryPHY = report.primaryPHY
        secondaryPHY = report.secondaryPHY
        name = device.name
        services = device.services
        isConnectable = device.isConnectable
    }

    /// An advertiser has few contents at a time: an advertisement and a scan response.
    func hash(into hasher: inout Hasher) {
        hasher.combine(address.address.rawValue)
        hasher.combine(properties.rawValue)
    }
}

/// The texts about a device for a line, or for a row of the table; safe to print.
struct DeviceColumns {
    let name: String
    let address: String
    let kind: String
    let rssi: String
    let what: String

    init(_ device: AdvertiserInfo, _ formats: FormatCatalogue) {
        name = TerminalText.escaped(device.name?.text ?? "")
        address = device.address.type == .anonymous ? "anonymous        " : device.address.address.description
        kind = device.address.kind.rawValue
        rssi = device.rssi.map { String($0) } ?? "?"
        what = AdvertiserTexts(device, formats).line
    }
}

extension Timestamp {
    /// When the report came.
    init(_ report: ScanReport) {
        self.init(wall: report.wall, monotonic: report.instant)
    }
}

extension JSONWriter {
    fileprivate mutating func value(_ data: ADManufacturerData) {
        object { json in
            json.key("company_id")
            json.integer(data.company)
            json.key("company_name")
            json.string(AssignedNumbers.companyName(data.company))
            json.key("data")
            json.hex(data.data)
        }
    }

    fileprivate mutating func value(_ data: ADServiceData, in formats: FormatCatalogue) {
        object { json in
            json.key("data")
            json.hex(data.data)
            json.key("name")
            json.string(formats.name(ofService: data.uuid))
            json.key("uuid")
            json.string(data.uuid.description)
        }
    }

    fileprivate mutating func value(_ structure: ADStructure) {
        object { json in
            json.key("data")
            json.hex(structure.data)
            json.key("name")
            json.string(structure.type.name)
            json.key("text")
            json.string(structure.element.description)
            json.key("type")
            json.integer(structure.type.rawValue)
        }
    }
}
