// SPDX-License-Identifier: MIT

/// One or more advertisements and scan responses, extended or legacy, were received.
///
/// A long advertisement arrives as several reports. All except the last announce more data: see
/// `ExtendedReportReassembler`.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7.65.13
package struct LEExtendedAdvertisingReportEvent: HCIEventParameters {
    package static let form = HCIEventForm(le: 0x0D, "LE Extended Advertising Report")

    /// The maximum number of data octets in one event; a longer advertisement takes several events. The parameters of
    /// an event have at most 255 octets, and 26 of them precede the data of the first report.
    package static let maximumDataLength = 229

    /// The reports, in the order of the event. An empty list is accepted, although no controller should send it.
    package var reports: [AdvertisingReport]

    package init(_ reports: [AdvertisingReport]) { self.reports = reports }

    package init(from reader: inout ByteReader) throws(DecodeError) {
        let count = try reader.uint8("Num_Reports")
        reports = []
        for _ in 0..<count { reports.append(try AdvertisingReport(extendedReport: &reader)) }
    }

    package func encode(into writer: inout ByteWriter) {
        writer.uint8(UInt8(clamping: reports.count))
        // The number of reports has one octet.
        for report in reports.prefix(255) { report.encodeExtended(into: &writer) }
    }

    package var details: String { reports.map(\.description).joined(separator: "; ") }
}

extension AdvertisingReport {
    /// Bits 5 and 6 of Event_Type.
    private static let dataStatusMask: UInt16 = 0b11 << 5

    fileprivate init(extendedReport reader: inout ByteReader) throws(DecodeError) {
        let eventType = try reader.uint16("Event_Type")
        properties = Properties(rawValue: eventType & ~Self.dataStatusMask)
        dataStatus = DataStatus(rawValue: UInt8(truncatingIfNeeded: eventType >> 5 & 0b11)) ?? .reserved
        let sender = try reader.deviceAddress("Address")
        // The address octets of anonymous advertising are meaningless.
        address = sender.type == .anonymous ? DeviceAddress(BluetoothAddress(rawValue: 0), .anonymous) : sender
        primaryPHY = LEPHY(rawValue: try reader.uint8("Primary_PHY"))
        let secondary = try reader.uint8("Secondary_PHY")
        secondaryPHY = secondary == 0 ? nil : LEPHY(rawValue: secondary)
        let sid = try reader.uint8("Advertising_SID")
        advertisingSID = sid == 0xFF ? nil : sid
        txPower = try reader.optionalPower("TX_Power")
        rssi = try reader.optionalPower("RSSI")
        let interval = try LEInterval<1250>(from: &reader, "Periodic_Advertising_Interval")
        periodicInterval = interval.rawValue == 0 ? nil : interval
        let direct = try reader.deviceAddress("Direct_Address")
        target = properties.contains(.directed) ? direct : nil
        let length = try reader.uint8("Data_Length")
        data = try reader.bytes(Int(length), "Data")
    }

    fileprivate func encodeExtended(into writer: inout ByteWriter) {
        writer.uint16(properties.rawValue & ~Self.dataStatusMask | UInt16(dataStatus.rawValue) << 5)
        writer.deviceAddress(address)
        writer.append(primaryPHY)
        writer.uint8(secondaryPHY?.rawValue ?? 0x00)
        writer.uint8(advertisingSID ?? 0xFF)
        writer.optionalPower(txPower)
        writer.optionalPower(rssi)
        writer.append(periodicInterval ?? LEInterval(rawValue: 0))
        writer.deviceAddress(target ?? DeviceAddress(BluetoothAddress(rawValue: 0), .public))
        writer.uint8(UInt8(clamping: data.count))
        writer.append(data.prefix(255))
    }
}
