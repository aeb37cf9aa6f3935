// SPDX-License-Identifier: MIT

/// Asks for the channels that a connection uses.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.20
package struct LEReadChannelMap: HCICommand, ConnectionCoded {
    package static let form = HCIForm(.leController, 0x0015, "LE Read Channel Map", bit: (27, 4))

    package var connection: ConnectionHandle

    package init(_ connection: ConnectionHandle) { self.connection = connection }

    package struct ReturnParameters: HCIReturnParameters, FieldCoded {
        package var connection: ConnectionHandle
        /// The channels in use (Channel_Map).
        package var channels: LEChannelMap

        package init(_ connection: ConnectionHandle, channels: LEChannelMap) {
            self.connection = connection
            self.channels = channels
        }

        package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
            connection = try fields(\.connection)
            channels = try fields(\.channels)
        }

        package var details: String { "connection \(connection), channels \(channels)" }
    }
}

/// Asks the peer for its LE features. LE Read Remote Features Complete contains them.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.21
package struct LEReadRemoteFeatures: HCICommand, ConnectionCoded {
    package static let form = HCIForm(.leController, 0x0016, "LE Read Remote Features", .commandStatus, bit: (27, 5))

    package var connection: ConnectionHandle

    package init(_ connection: ConnectionHandle) { self.connection = connection }
}

/// Asks the peer's controller for its version. Read Remote Version Information Complete contains it.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.1.23
package struct HCIReadRemoteVersionInformation: HCICommand, ConnectionCoded {
    package static let form = HCIForm(
        .linkControl,
        0x001D,
        "Read Remote Version Information",
        .commandStatus,
        bit: (2, 7)
    )

    package var connection: ConnectionHandle

    package init(_ connection: ConnectionHandle) { self.connection = connection }
}

/// Asks for the signal strength of a connection's peer.
///
/// The value is a strength on LE links only. On BR/EDR links it is relative to the receiver's golden range.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.5.4
package struct HCIReadRSSI: HCICommand, ConnectionCoded {
    package static let form = HCIForm(.status, 0x0005, "Read RSSI", bit: (15, 5))

    package var connection: ConnectionHandle

    package init(_ connection: ConnectionHandle) { self.connection = connection }

    package struct ReturnParameters: HCIReturnParameters, FieldCoded {
        package var connection: ConnectionHandle
        /// The strength in dBm; `nil` if the controller does not know it (RSSI).
        package var rssi: Int8?

        package init(_ connection: ConnectionHandle, rssi: Int8?) {
            self.connection = connection
            self.rssi = rssi
        }

        package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
            connection = try fields(\.connection)
            rssi = try fields(\.rssi, "RSSI")
        }

        package var details: String { "connection \(connection), \(rssi.map { "\($0) dBm" } ?? "not known")" }
    }
}

/// Asks for the power with which the controller sends on a connection.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.3.35
package struct HCIReadTransmitPowerLevel: HCICommand, FieldCoded {
    package static let form = HCIForm(.baseband, 0x002D, "Read Transmit Power Level", bit: (10, 2))

    package enum Kind: UInt8, Hashable, Sendable {
        case current = 0x00
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

    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        connection = try fields(\.connection)
        kind = try fields(\.kind, "Type")
    }

    package var details: String { "connection \(connection), \(kind)" }

    package struct ReturnParameters: HCIReturnParameters, FieldCoded {
        package var connection: ConnectionHandle
        /// The power in dBm; `nil` if the controller does not know it (TX_Power_Level).
        package var power: Int8?

        package init(_ connection: ConnectionHandle, power: Int8?) {
            self.connection = connection
            self.power = power
        }

        package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
            connection = try fields(\.connection)
            power = try fields(\.power, "TX_Power_Level")
        }

        package var details: String { "connection \(connection), \(power.map { "\($0) dBm" } ?? "not known")" }
    }
}
