// SPDX-License-Identifier: MIT

/// Asks for the power with which the controller sends on a connection.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.3.35
public struct HCIReadTransmitPowerLevel: HCICommand {
    public static let opcode = HCIOpcode(.baseband, 0x002D)
    public static let name = "Read Transmit Power Level"
    public static let completion = HCICommandCompletion.commandComplete
    public static let supportBit: HCISupportBit? = HCISupportBit(10, 2)

    /// The level to read.
    public enum Kind: UInt8, Hashable, Sendable {
        /// The present level.
        case current = 0x00
        /// The highest level.
        case maximum = 0x01
    }

    /// The connection (Connection_Handle).
    public var connection: ConnectionHandle
    /// The wanted level (Type).
    public var kind: Kind

    /// Creates the command; by default it reads the present level.
    public init(_ connection: ConnectionHandle, _ kind: Kind = .current) {
        self.connection = connection
        self.kind = kind
    }

    public init(from reader: inout ByteReader) throws(DecodeError) {
        connection = try ConnectionHandle(from: &reader)
        let type = try reader.uint8("Type")
        guard let kind = Kind(rawValue: type) else { throw DecodeError("Type", .invalid(value: UInt64(type))) }
        self.kind = kind
    }

    public func encode(into writer: inout ByteWriter) {
        writer.append(connection)
        writer.uint8(kind.rawValue)
    }

    public var details: String { "connection \(connection), \(kind)" }

    /// The power.
    public struct ReturnParameters: HCIReturnParameters {
        /// The connection (Connection_Handle).
        public var connection: ConnectionHandle
        /// The power in dBm; `nil` if the controller does not know it (TX_Power_Level).
        public var power: Int8?

        /// Creates the return parameters.
        public init(_ connection: ConnectionHandle, power: Int8?) {
            self.connection = connection
            self.power = power
        }

        public init(from reader: inout ByteReader) throws(DecodeError) {
            connection = try ConnectionHandle(from: &reader)
            power = try reader.optionalPower("TX_Power_Level")
        }

        public func encode(into writer: inout ByteWriter) {
            writer.append(connection)
            writer.optionalPower(power)
        }

        public var details: String { "connection \(connection), \(power.map { "\($0) dBm" } ?? "not known")" }
    }
}
