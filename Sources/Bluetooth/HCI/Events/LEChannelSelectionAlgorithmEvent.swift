// SPDX-License-Identifier: MIT

/// The channel selection algorithm of a connection.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7.65.20
public struct LEChannelSelectionAlgorithmEvent: LEEventParameters {
    public static let subevent = LESubeventCode.channelSelectionAlgorithm
    public static let name = "LE Channel Selection Algorithm"

    /// The connection (Connection_Handle).
    public var connection: ConnectionHandle
    /// 0x00 for algorithm #1, 0x01 for #2 (Channel_Selection_Algorithm).
    public var algorithm: UInt8

    /// Creates the event.
    public init(_ connection: ConnectionHandle, algorithm: UInt8) {
        self.connection = connection
        self.algorithm = algorithm
    }

    public init(from reader: inout ByteReader) throws(DecodeError) {
        connection = try ConnectionHandle(from: &reader)
        algorithm = try reader.uint8("Channel_Selection_Algorithm")
    }

    public func encode(into writer: inout ByteWriter) {
        writer.append(connection)
        writer.uint8(algorithm)
    }

    public var details: String { "connection \(connection), #\(Int(algorithm) + 1)" }
}
