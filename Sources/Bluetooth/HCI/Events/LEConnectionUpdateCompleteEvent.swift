// SPDX-License-Identifier: MIT

/// The parameters of a connection have changed, or the attempt has failed.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7.65.3
public struct LEConnectionUpdateCompleteEvent: LEEventParameters {
    public static let subevent = LESubeventCode.connectionUpdateComplete
    public static let name = "LE Connection Update Complete"

    /// Success, or the reason why they did not change (Status).
    public var status: HCIStatus
    /// The connection (Connection_Handle).
    public var connection: ConnectionHandle
    /// The interval (Connection_Interval).
    public var interval: LEInterval<1250>
    /// The number of connection events that the peripheral may skip (Peripheral_Latency).
    public var latency: UInt16
    /// The time without packets after which the connection counts as lost (Supervision_Timeout).
    public var supervisionTimeout: LEInterval<10_000>

    /// Creates the event.
    public init(
        status: HCIStatus = .success,
        _ connection: ConnectionHandle,
        interval: LEInterval<1250>,
        latency: UInt16,
        supervisionTimeout: LEInterval<10_000>
    ) {
        self.status = status
        self.connection = connection
        self.interval = interval
        self.latency = latency
        self.supervisionTimeout = supervisionTimeout
    }

    public init(from reader: inout ByteReader) throws(DecodeError) {
        status = try HCIStatus(from: &reader)
        connection = try ConnectionHandle(from: &reader)
        interval = try LEInterval(from: &reader, "Connection_Interval")
        latency = try reader.uint16("Peripheral_Latency")
        supervisionTimeout = try LEInterval(from: &reader, "Supervision_Timeout")
    }

    public func encode(into writer: inout ByteWriter) {
        writer.append(status)
        writer.append(connection)
        writer.append(interval)
        writer.uint16(latency)
        writer.append(supervisionTimeout)
    }

    public var details: String {
        guard status == .success else { return "connection \(connection): \(status)" }
        return "connection \(connection), interval \(interval), latency \(latency), timeout \(supervisionTimeout)"
    }
}
