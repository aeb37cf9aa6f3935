// SPDX-License-Identifier: MIT

/// The parameters of a connection have changed, or the attempt has failed.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7.65.3
package struct LEConnectionUpdateCompleteEvent: LEEventParameters, FieldCoded {
    package static let subevent: UInt8 = 0x03
    package static let name = "LE Connection Update Complete"

    /// Success, or the reason why they did not change (Status).
    package var status: HCIStatus
    package var connection: ConnectionHandle
    package var interval: LEInterval<1250>
    /// The number of connection events that the peripheral may skip (Peripheral_Latency).
    package var latency: UInt16
    /// The time without packets after which the connection counts as lost (Supervision_Timeout).
    package var supervisionTimeout: LEInterval<10_000>

    package init(
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

    init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        status = try fields(\.status)
        connection = try fields(\.connection)
        interval = try fields(\.interval, "Connection_Interval")
        latency = try fields(\.latency, "Peripheral_Latency")
        supervisionTimeout = try fields(\.supervisionTimeout, "Supervision_Timeout")
    }

    package var details: String {
        guard status == .success else { return "connection \(connection): \(status)" }
        return "connection \(connection), interval \(interval), latency \(latency), timeout \(supervisionTimeout)"
    }
}
