// SPDX-License-Identifier: MIT

/// An advertising set has ended, because a central has connected or a limit was reached.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7.65.18
public struct LEAdvertisingSetTerminatedEvent: LEEventParameters {
    public static let subevent = LESubeventCode.advertisingSetTerminated
    public static let name = "LE Advertising Set Terminated"

    /// Success if a central has connected; otherwise Advertising Timeout or Limit Reached (Status).
    public var status: HCIStatus
    /// The set (Advertising_Handle).
    public var set: LEAdvertisingHandle
    /// The new connection; meaningless without one (Connection_Handle).
    public var connection: ConnectionHandle
    /// The number of advertising events (Num_Completed_Extended_Advertising_Events).
    public var completedEvents: UInt8

    /// Creates the event.
    public init(
        status: HCIStatus,
        _ set: LEAdvertisingHandle,
        connection: ConnectionHandle,
        completedEvents: UInt8 = 0
    ) {
        self.status = status
        self.set = set
        self.connection = connection
        self.completedEvents = completedEvents
    }

    public init(from reader: inout ByteReader) throws(DecodeError) {
        status = try HCIStatus(from: &reader)
        set = try LEAdvertisingHandle(from: &reader)
        connection = try ConnectionHandle(from: &reader)
        completedEvents = try reader.uint8("Num_Completed_Extended_Advertising_Events")
    }

    public func encode(into writer: inout ByteWriter) {
        writer.append(status)
        writer.append(set)
        writer.append(connection)
        writer.uint8(completedEvents)
    }

    public var details: String {
        status == .success ? "set \(set), connection \(connection)" : "set \(set): \(status)"
    }
}
