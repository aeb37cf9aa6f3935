// SPDX-License-Identifier: MIT

/// Asks for the signal strength of a connection's peer.
///
/// The value is a strength on LE links only. On BR/EDR links it is relative to the receiver's golden range.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.5.4
package struct HCIReadRSSI: HCICommand, FieldCoded {
    package static let opcode = HCIOpcode(.status, 0x0005)
    package static let name = "Read RSSI"
    package static let supportBit: HCISupportBit? = HCISupportBit(15, 5)

    package var connection: ConnectionHandle

    package init(_ connection: ConnectionHandle) { self.connection = connection }

    init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        connection = try fields(\.connection)
    }

    package var details: String { "connection \(connection)" }

    /// The signal strength.
    package struct ReturnParameters: HCIReturnParameters, FieldCoded {
        package var connection: ConnectionHandle
        /// The strength in dBm; `nil` if the controller does not know it (RSSI).
        package var rssi: Int8?

        package init(_ connection: ConnectionHandle, rssi: Int8?) {
            self.connection = connection
            self.rssi = rssi
        }

        init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
            connection = try fields(\.connection)
            rssi = try fields(\.rssi, "RSSI")
        }

        package var details: String { "connection \(connection), \(rssi.map { "\($0) dBm" } ?? "not known")" }
    }
}
