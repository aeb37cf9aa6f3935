// SPDX-License-Identifier: MIT

/// One or more legacy advertisements and scan responses were received.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7.65.2
package struct LEAdvertisingReportEvent: HCIEventParameters {
    package static let form = HCIEventForm(le: 0x02, "LE Advertising Report")

    /// The reports, in the order of the event. An empty list is accepted, although no controller should send it.
    package var reports: [AdvertisingReport]

    package init(_ reports: [AdvertisingReport]) { self.reports = reports }

    package init(from reader: inout ByteReader) throws(DecodeError) {
        let count = try reader.uint8("Num_Reports")
        reports = []
        for _ in 0..<count {
            let properties = try Self.properties(eventType: reader.uint8("Event_Type"))
            let address = try reader.deviceAddress("Address")
            let length = try reader.uint8("Data_Length")
            let data = try reader.bytes(Int(length), "Data")
            let rssi = try reader.optionalPower("RSSI")
            reports.append(AdvertisingReport(address: address, properties: properties, rssi: rssi, data: data))
        }
    }

    /// Appends the reports. Fields that only extended reports have are left out.
    package func encode(into writer: inout ByteWriter) {
        writer.uint8(UInt8(clamping: reports.count))
        // The number of reports, and the length of the data, have one octet each.
        for report in reports.prefix(255) {
            writer.uint8(Self.eventType(report.properties))
            writer.deviceAddress(report.address)
            writer.uint8(UInt8(clamping: report.data.count))
            writer.append(report.data.prefix(255))
            writer.optionalPower(report.rssi)
        }
    }

    private static func properties(eventType: UInt8) throws(DecodeError) -> AdvertisingReport.Properties {
        switch eventType {
        case 0x00: .advInd
        case 0x01: .advDirectInd
        case 0x02: .advScanInd
        case 0x03: .advNonconnInd
        case 0x04: .scanRsp
        default: throw DecodeError("Event_Type", .invalid(value: UInt64(eventType)))
        }
    }

    private static func eventType(_ properties: AdvertisingReport.Properties) -> UInt8 {
        if properties.contains(.scanResponse) { return 0x04 }
        if properties.contains(.directed) { return 0x01 }
        if properties.contains(.connectable) { return 0x00 }
        return properties.contains(.scannable) ? 0x02 : 0x03
    }

    package var details: String { reports.map(\.description).joined(separator: "; ") }
}

extension ByteReader {
    /// The next octet as a power in dBm; `nil` for 127, which means "not known".
    mutating func optionalPower(_ field: String) throws(DecodeError) -> Int8? {
        let power = try int8(field)
        return power == 127 ? nil : power
    }
}

extension ByteWriter {
    /// Appends a power in dBm, or 127 for `nil`.
    mutating func optionalPower(_ value: Int8?) { int8(value ?? 127) }
}
