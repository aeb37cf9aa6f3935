// SPDX-License-Identifier: MIT

/// Asks for the channels that a connection uses.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.20
public struct LEReadChannelMap: HCICommand {
    public static let opcode = HCIOpcode(.leController, 0x0015)
    public static let name = "LE Read Channel Map"
    public static let completion = HCICommandCompletion.commandComplete
    public static let supportBit: HCISupportBit? = HCISupportBit(27, 4)

    /// The connection (Connection_Handle).
    public var connection: ConnectionHandle

    /// Creates the command.
    public init(_ connection: ConnectionHandle) { self.connection = connection }

    public init(from reader: inout ByteReader) throws(DecodeError) {
        connection = try ConnectionHandle(from: &reader)
    }

    public func encode(into writer: inout ByteWriter) { writer.append(connection) }

    public var details: String { "connection \(connection)" }

    /// The return parameters: the connection and its channels.
    public struct ReturnParameters: HCIReturnParameters {
        /// The connection (Connection_Handle).
        public var connection: ConnectionHandle
        /// The channels in use (Channel_Map).
        public var channels: LEChannelMap

        /// Creates the return parameters.
        public init(_ connection: ConnectionHandle, channels: LEChannelMap) {
            self.connection = connection
            self.channels = channels
        }

        public init(from reader: inout ByteReader) throws(DecodeError) {
            connection = try ConnectionHandle(from: &reader)
            channels = try LEChannelMap(from: &reader)
        }

        public func encode(into writer: inout ByteWriter) {
            writer.append(connection)
            writer.append(channels)
        }

        public var details: String { "connection \(connection), channels \(channels)" }
    }
}
