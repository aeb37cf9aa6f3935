// SPDX-License-Identifier: MIT

/// Data packets were sent, and the controller's buffers for them are free again.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7.19
public struct NumberOfCompletedPacketsEvent: HCIEventParameters {
    public static let code = HCIEventCode.numberOfCompletedPackets
    public static let name = "Number Of Completed Packets"

    /// The number of sent packets of one connection.
    public struct Completion: Hashable, Sendable {
        /// The connection (Connection_Handle[i]).
        public var connection: ConnectionHandle
        /// The number of packets (Num_Completed_Packets[i]).
        public var count: UInt16

        /// Creates an entry.
        public init(_ connection: ConnectionHandle, count: UInt16) {
            self.connection = connection
            self.count = count
        }
    }

    /// The connections; at most 63 in one event.
    public var completions: [Completion]

    /// Creates the event.
    public init(_ completions: [Completion]) { self.completions = completions }

    public init(from reader: inout ByteReader) throws(DecodeError) {
        let count = try reader.uint8("Num_Handles")
        completions = []
        for _ in 0..<count {
            let connection = try ConnectionHandle(from: &reader)
            completions.append(Completion(connection, count: try reader.uint16("Num_Completed_Packets")))
        }
    }

    public func encode(into writer: inout ByteWriter) {
        writer.uint8(UInt8(clamping: completions.count))
        // The number of connections has one octet.
        for completion in completions.prefix(255) {
            writer.append(completion.connection)
            writer.uint16(completion.count)
        }
    }

    public var details: String {
        completions.map { "connection \($0.connection): \($0.count)" }.joined(separator: ", ")
    }
}
