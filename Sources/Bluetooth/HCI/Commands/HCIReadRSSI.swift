// SPDX-License-Identifier: MIT

/// Asks for the signal strength of a connection's peer.
///
/// The value is a strength on LE links only. On BR/EDR links it is relative to the receiver's golden range.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.5.4
public struct HCIReadRSSI: HCICommand {
    public static let opcode = HCIOpcode(.status, 0x0005)
    public static let name = "Read RSSI"
    public static let completion = HCICommandCompletion.commandComplete
    public static let supportBit: HCISupportBit? = HCISupportBit(15, 5)

    /// The connection (Handle).
    public var connection: ConnectionHandle

    /// Creates the command.
    public init(_ connection: ConnectionHandle) { self.connection = connection }

    public init(from reader: inout ByteReader) throws(DecodeError) {
        connection = try ConnectionHandle(from: &reader)
    }

    public func encode(into writer: inout ByteWriter) { writer.append(connection) }

    public var details: String { "connection \(connection)" }

    /// The signal strength.
    public struct ReturnParameters: HCIReturnParameters {
        /// The connection (Handle).
        public var connection: ConnectionHandle
        /// The strength in dBm; `nil` if the controller does not know it (RSSI).
        public var rssi: Int8?

        /// Creates the return parameters.
        public init(_ connection: ConnectionHandle, rssi: Int8?) {
            self.connection = connection
            self.rssi = rssi
        }

        public init(from reader: inout ByteReader) throws(DecodeError) {
            connection = try ConnectionHandle(from: &reader)
            rssi = try reader.optionalPower("RSSI")
        }

        public func encode(into writer: inout ByteWriter) {
            writer.append(connection)
            writer.optionalPower(rssi)
        }

        public var details: String { "connection \(connection), \(rssi.map { "\($0) dBm" } ?? "not known")" }
    }
}
