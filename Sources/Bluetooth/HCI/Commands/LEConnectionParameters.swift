// SPDX-License-Identifier: MIT

/// The central's requirements for a connection, which several commands share.
///
/// The supervision timeout must be longer than 2 × (1 + latency) × the largest interval. Otherwise a peripheral that
/// skips events as agreed could be taken for lost.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.12
package struct LEConnectionParameters: Hashable, Sendable {
    /// The smallest interval: 0x0006…0x0C80 (Connection_Interval_Min).
    package var minimumInterval: LEInterval<1250>
    /// The largest interval: 0x0006…0x0C80 (Connection_Interval_Max).
    package var maximumInterval: LEInterval<1250>
    /// The number of connection events that the peripheral may skip: 0…499 (Max_Latency).
    package var latency: UInt16
    /// The time without packets after which the connection counts as lost: 0x000A…0x0C80 (Supervision_Timeout).
    package var supervisionTimeout: LEInterval<10_000>
    /// The minimum duration of a connection event (Min_CE_Length).
    package var minimumEventLength: LEInterval<625>
    /// The maximum duration of a connection event (Max_CE_Length).
    package var maximumEventLength: LEInterval<625>

    /// Creates parameters; by default the peripheral skips no event, and event lengths are unspecified.
    package init(
        minimumInterval: LEInterval<1250>,
        maximumInterval: LEInterval<1250>,
        latency: UInt16 = 0,
        supervisionTimeout: LEInterval<10_000>,
        minimumEventLength: LEInterval<625> = .init(rawValue: 0),
        maximumEventLength: LEInterval<625> = .init(rawValue: 0)
    ) {
        self.minimumInterval = minimumInterval
        self.maximumInterval = maximumInterval
        self.latency = latency
        self.supervisionTimeout = supervisionTimeout
        self.minimumEventLength = minimumEventLength
        self.maximumEventLength = maximumEventLength
    }
}

extension LEConnectionParameters: FieldCoded, CustomStringConvertible {
    init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        minimumInterval = try fields(\.minimumInterval, "Connection_Interval_Min")
        maximumInterval = try fields(\.maximumInterval, "Connection_Interval_Max")
        latency = try fields(\.latency, "Max_Latency")
        supervisionTimeout = try fields(\.supervisionTimeout, "Supervision_Timeout")
        minimumEventLength = try fields(\.minimumEventLength, "Min_CE_Length")
        maximumEventLength = try fields(\.maximumEventLength, "Max_CE_Length")
    }

    /// `interval 30 ms to 50 ms, latency 0, timeout 420 ms`
    package var description: String {
        "interval \(minimumInterval) to \(maximumInterval), latency \(latency), timeout \(supervisionTimeout)"
    }
}
