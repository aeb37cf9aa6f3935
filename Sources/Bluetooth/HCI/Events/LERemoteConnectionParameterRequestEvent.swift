// SPDX-License-Identifier: MIT

/// The peer requests other connection parameters.
///
/// The host must grant or refuse the request with a command, because the link layer waits for the decision.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7.65.6
public struct LERemoteConnectionParameterRequestEvent: LEEventParameters {
    public static let subevent = LESubeventCode.remoteConnectionParameterRequest
    public static let name = "LE Remote Connection Parameter Request"

    /// The connection (Connection_Handle).
    public var connection: ConnectionHandle
    /// The smallest interval (Interval_Min).
    public var minimumInterval: LEInterval<1250>
    /// The largest interval (Interval_Max).
    public var maximumInterval: LEInterval<1250>
    /// The number of connection events that the peripheral may skip (Max_Latency).
    public var latency: UInt16
    /// The time without packets after which the connection counts as lost (Timeout).
    public var supervisionTimeout: LEInterval<10_000>

    /// Creates the event.
    public init(
        _ connection: ConnectionHandle,
        minimumInterval: LEInterval<1250>,
        maximumInterval: LEInterval<1250>,
        latency: UInt16,
        supervisionTimeout: LEInterval<10_000>
    ) {
        self.connection = connection
        self.minimumInterval = minimumInterval
        self.maximumInterval = maximumInterval
        self.latency = latency
        self.supervisionTimeout = supervisionTimeout
    }

    public init(from reader: inout ByteReader) throws(DecodeError) {
        connection = try ConnectionHandle(from: &reader)
        minimumInterval = try LEInterval(from: &reader, "Interval_Min")
        maximumInterval = try LEInterval(from: &reader, "Interval_Max")
        latency = try reader.uint16("Max_Latency")
        supervisionTimeout = try LEInterval(from: &reader, "Timeout")
    }

    public func encode(into writer: inout ByteWriter) {
        writer.append(connection)
        writer.append(minimumInterval)
        writer.append(maximumInterval)
        writer.uint16(latency)
        writer.append(supervisionTimeout)
    }

    public var details: String {
        "connection \(connection), interval \(minimumInterval) to \(maximumInterval), latency \(latency), "
            + "timeout \(supervisionTimeout)"
    }
}
