// SPDX-License-Identifier: MIT

/// The peer requests other connection parameters.
///
/// The host must grant or refuse the request with a command, because the link layer waits for the decision.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7.65.6
package struct LERemoteConnectionParameterRequestEvent: LEEventParameters, FieldCoded {
    package static let subevent: UInt8 = 0x06
    package static let name = "LE Remote Connection Parameter Request"

    package var connection: ConnectionHandle
    /// The smallest interval (Interval_Min).
    package var minimumInterval: LEInterval<1250>
    /// The largest interval (Interval_Max).
    package var maximumInterval: LEInterval<1250>
    /// The number of connection events that the peripheral may skip (Max_Latency).
    package var latency: UInt16
    /// The time without packets after which the connection counts as lost (Timeout).
    package var supervisionTimeout: LEInterval<10_000>

    package init(
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

    init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        connection = try fields(\.connection)
        minimumInterval = try fields(\.minimumInterval, "Interval_Min")
        maximumInterval = try fields(\.maximumInterval, "Interval_Max")
        latency = try fields(\.latency, "Max_Latency")
        supervisionTimeout = try fields(\.supervisionTimeout, "Timeout")
    }

    package var details: String {
        "connection \(connection), interval \(minimumInterval) to \(maximumInterval), latency \(latency), "
            + "timeout \(supervisionTimeout)"
    }
}
