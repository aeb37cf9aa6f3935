// SPDX-License-Identifier: MIT

/// Asks for the channels that a connection uses.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.20
package struct LEReadChannelMap: HCICommand, FieldCoded {
    package static let opcode = HCIOpcode(.leController, 0x0015)
    package static let name = "LE Read Channel Map"
    package static let supportBit: HCISupportBit? = HCISupportBit(27, 4)

    package var connection: ConnectionHandle

    package init(_ connection: ConnectionHandle) { self.connection = connection }

    init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        connection = try fields(\.connection)
    }

    package var details: String { "connection \(connection)" }

    /// The return parameters: the connection and its channels.
    package struct ReturnParameters: HCIReturnParameters, FieldCoded {
        package var connection: ConnectionHandle
        /// The channels in use (Channel_Map).
        package var channels: LEChannelMap

        package init(_ connection: ConnectionHandle, channels: LEChannelMap) {
            self.connection = connection
            self.channels = channels
        }

        init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
            connection = try fields(\.connection)
            channels = try fields(\.channels)
        }

        package var details: String { "connection \(connection), channels \(channels)" }
    }
}
