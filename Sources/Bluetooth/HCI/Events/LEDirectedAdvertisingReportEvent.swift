// SPDX-License-Identifier: MIT

/// Legacy advertisements directed at a private address were received.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7.65.11
package struct LEDirectedAdvertisingReportEvent: HCIEventParameters {
    package static let form = HCIEventForm(le: 0x0B, "LE Directed Advertising Report")

    /// The reports, in the order of the event; each has a target and no data.
    package var reports: [AdvertisingReport]

    package init(_ reports: [AdvertisingReport]) { self.reports = reports }

    package init(from reader: inout ByteReader) throws(DecodeError) {
        let count = try reader.uint8("Num_Reports")
        reports = []
        for _ in 0..<count {
            let eventType = try reader.uint8("Event_Type")
            guard eventType == 0x01 else { throw DecodeError("Event_Type", .invalid(value: UInt64(eventType))) }
            let address = try reader.deviceAddress("Address")
            let target = try reader.deviceAddress("Direct_Address")
            let rssi = try reader.optionalPower("RSSI")
            reports.append(
                AdvertisingReport(address: address, properties: .advDirectInd, rssi: rssi, target: target, data: [])
            )
        }
    }

    package func encode(into writer: inout ByteWriter) {
        writer.uint8(UInt8(clamping: reports.count))
        for report in reports.prefix(255) {
            // The event type: these reports exist for ADV_DIRECT_IND only.
            writer.uint8(0x01)
            writer.deviceAddress(report.address)
            writer.deviceAddress(report.target ?? DeviceAddress(BluetoothAddress(rawValue: 0), .random))
            writer.optionalPower(report.rssi)
        }
    }

    package var details: String { reports.map(\.description).joined(separator: "; ") }
}
