// SPDX-License-Identifier: GPL-2.0-or-later

/// An advertising set is no longer sent: it was connected, or its time was up.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7.65.18
public struct LEAdvertisingSetTerminatedEvent: LEEventParameters {
    public static let subevent = LESubeventCode.advertisingSetTerminated
    public static let name = "LE Advertising Set Terminated"

    /// Success for a connection; advertising timeout or limit reached (Status).
    public var status: HCIStatus
    /// The set (Advertising_Handle).
    public var set: LEAdvertisingHandle
    /// The connection, where one was made (Connection_Handle).
    public var connection: ConnectionHandle
    /// How often it was sent (Num_Completed_Extended_Advertising_Events).
    public var completedEvents: UInt8

    /// Makes the event.
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
