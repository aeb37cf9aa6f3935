// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import BluetoothProfiles
import Records
import Terminal

/// One report of a scan, with the facts about the device from earlier ones.
struct AdvertisementResult: RecordedResult {
    let report: ScanReport
    let device: AdvertiserInfo
    /// The adapter that has heard it; `nil` if there is only one.
    let adapter: String?
    /// The names of private services, beside the assigned ones.
    let formats: FormatCatalogue

    /// The contents of a known kind. Two fields have them.
    private let beacons: [Beacon]

    init(
        report: ScanReport,
        device: AdvertiserInfo,
        adapter: String? = nil,
        formats: FormatCatalogue = .assigned
    ) {
        self.report = report
        self.device = device
        self.adapter = adapter
        self.formats = formats
        beacons = report.data.beacons
    }

    /// Legacy reports do not show whether a scan response comes from a device that accepts connections; its
    /// advertisements do.
    private var isConnectable: Bool {
        let properties = report.report.properties
        return properties.contains(.connectable) || properties.isSuperset(of: .scanRsp) && device.isConnectable
    }

    static let record = RecordKind<Self>(
        "advertisement",
        "a report with something new, or with `--duplicates` every one"
    ) {
        RecordField("adapter", orNull: .string, "adapter that has heard it, if several listen") { $0.adapter }
        RecordField("address", orNull: .string, "sender's address; null if it is anonymous") {
            $0.report.report.address.textUnlessAnonymous
        }
        DeviceAddress.kinds.of { $0.report.report.address }
        RecordField("rssi_dbm", orNull: .integer("dBm"), "strength of the signal") { $0.report.report.rssi }
        RecordField("tx_power_dbm", orNull: .integer("dBm"), "power that it was sent with") {
            $0.report.report.txPower ?? $0.report.data.txPower
        }
        RecordField("connectable", .boolean, "whether the sender accepts a connection") { $0.isConnectable }
        RecordField("scannable", .boolean, "whether the sender answers scan requests") {
            $0.report.report.properties.contains(.scannable)
        }
        RecordField("scan_response", .boolean, "whether this is such an answer") {
            $0.report.report.properties.contains(.scanResponse)
        }
        RecordField("directed", .boolean, "whether it is meant for one receiver") {
            $0.report.report.properties.contains(.directed)
        }
        RecordField("legacy", .boolean, "whether it is in the format before Bluetooth 5") {
            $0.report.report.properties.contains(.legacy)
        }
        RecordField("primary_phy", .string, "PHY of the primary channel") {
            $0.report.report.primaryPHY.word
        }
        RecordField("secondary_phy", orNull: .string, "PHY of the secondary channel") {
            $0.report.report.secondaryPHY?.word
        }
        RecordField("advertising_sid", orNull: .integer, "advertising set of the sender") {
            $0.report.report.advertisingSID
        }
        RecordField("name", orNull: .string, "name of the device, from this or an earlier report") {
            $0.device.name?.text
        }
        RecordField("name_raw", orNull: .hex, "bytes of that name") { $0.device.name?.bytes }
        NamedServices.record.of { NamedServices(services: $0.device.services, formats: $0.formats) }
        RecordField("manufacturer", .array(of: .object(ADManufacturerData.record)), "manufacturer data") {
            $0.report.data.manufacturerData
        }
        RecordField("service_data", .array(of: .object(NamedServiceData.record)), "service data") { result in
            result.report.data.serviceData.map { NamedServiceData(data: $0, formats: result.formats) }
        }
        RecordField("appearance", orNull: .integer, "appearance of the device") { $0.report.data.appearance }
        RecordField(
            "beacon",
            orNull: .beacon,
            "first known beacon, sensor, tracker or vendor message in it"
        ) { $0.beacons.first }
        RecordField("beacons", .array(of: .beacon), "all such contents of the report") {
            $0.beacons
        }
        RecordField("flags", .array(of: .string), "names of the flags that are set") {
            $0.report.data.flags?.names ?? []
        }
        RecordField("data", .hex, "advertising data of this report") { $0.report.report.data }
        RecordField("ad", .array(of: .object(ADStructure.record)), "structures in that data") {
            $0.report.data.structures
        }
    }

    var timestamp: Timestamp { Timestamp(report) }

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
    init(_ report: ScanReport) {
        self.init(wall: report.wall, monotonic: report.instant)
    }
}

extension ADStructure {
    @FieldBuilder<ADStructure>
    fileprivate static var record: [RecordField<ADStructure>] {
        RecordField("type", .integer, "assigned number of the type") { $0.type.rawValue }
        RecordField("name", orNull: .string, "its name") { $0.type.name }
        RecordField("data", .hex, "its data") { Array($0.data) }
        RecordField("text", .string, "data in words") { $0.element.description }
    }
}

extension LEPHY {
    /// The PHY as records of advertisements have it.
    fileprivate var word: String {
        switch self {
        case .le1M: "1m"
        case .le2M: "2m"
        case .coded: "coded"
        default: description.lowercased()
        }
    }
}
