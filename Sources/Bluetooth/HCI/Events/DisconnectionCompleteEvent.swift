// SPDX-License-Identifier: MIT

/// A connection has ended.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7.5
public struct DisconnectionCompleteEvent: HCIEventParameters {
    public static let code = HCIEventCode.disconnectionComplete
    public static let name = "Disconnection Complete"

    /// Success, or the reason why the connection could not be ended (Status).
    public var status: HCIStatus
    /// The connection (Connection_Handle).
    public var connection: ConnectionHandle
    /// The reason of the end (Reason).
    public var reason: HCIStatus

    /// Creates the event.
    public init(status: HCIStatus = .success, _ connection: ConnectionHandle, reason: HCIStatus) {
        self.status = status
        self.connection = connection
        self.reason = reason
    }

    public init(from reader: inout ByteReader) throws(DecodeError) {
        status = try HCIStatus(from: &reader)
        connection = try ConnectionHandle(from: &reader)
        reason = HCIStatus(rawValue: try reader.uint8("Reason"))
    }

    public func encode(into writer: inout ByteWriter) {
        writer.append(status)
        writer.append(connection)
        writer.append(reason)
    }

    public var details: String {
        status == .success ? "connection \(connection), \(reason)" : "connection \(connection): \(status)"
    }
}
