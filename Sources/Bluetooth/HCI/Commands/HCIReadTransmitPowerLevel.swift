// SPDX-License-Identifier: MIT

/// Asks for the power with which the controller sends on a connection.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.3.35
package struct HCIReadTransmitPowerLevel: HCICommand, FieldCoded {
    package static let opcode = HCIOpcode(.baseband, 0x002D)
    package static let name = "Read Transmit Power Level"
    package static let supportBit: HCISupportBit? = HCISupportBit(10, 2)

    /// The level to read.
    package enum Kind: UInt8, Hashable, Sendable {
        /// The present level.
        case current = 0x00
        /// The highest level.
        case maximum = 0x01
    }

    package var connection: ConnectionHandle
    /// The wanted level (Type).
    package var kind: Kind

    /// Creates the command; by default it reads the present level.
    package init(_ connection: ConnectionHandle, _ kind: Kind = .current) {
        self.connection = connection
        self.kind = kind
    }

    init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        connection = try fields(\.connection)
        kind = try fields(\.kind, "Type")
    }

    package var details: String { "connection \(connection), \(kind)" }

    /// The power.
    package struct ReturnParameters: HCIReturnParameters, FieldCoded {
        package var connection: ConnectionHandle
        /// The power in dBm; `nil` if the controller does not know it (TX_Power_Level).
        package var power: Int8?

        package init(_ connection: ConnectionHandle, power: Int8?) {
            self.connection = connection
            self.power = power
        }

        init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
            connection = try fields(\.connection)
            power = try fields(\.power, "TX_Power_Level")
        }

        package var details: String { "connection \(connection), \(power.map { "\($0) dBm" } ?? "not known")" }
    }
}
