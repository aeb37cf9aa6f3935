// SPDX-License-Identifier: MIT

/// The central's requirements for a connection, which several commands share.
///
/// The supervision timeout must be longer than 2 × (1 + latency) × the largest interval. Otherwise a peripheral that
/// skips events as agreed could be taken for lost.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.12
public struct LEConnectionParameters: Hashable, Sendable {
    /// The smallest interval: 0x0006…0x0C80 (Connection_Interval_Min).
    public var minimumInterval: LEInterval<1250>
    /// The largest interval: 0x0006…0x0C80 (Connection_Interval_Max).
    public var maximumInterval: LEInterval<1250>
    /// The number of connection events that the peripheral may skip: 0…499 (Max_Latency).
    public var latency: UInt16
    /// The time without packets after which the connection counts as lost: 0x000A…0x0C80 (Supervision_Timeout).
    public var supervisionTimeout: LEInterval<10_000>
    /// The minimum duration of a connection event (Min_CE_Length).
    public var minimumEventLength: LEInterval<625>
    /// The maximum duration of a connection event (Max_CE_Length).
    public var maximumEventLength: LEInterval<625>

    /// Creates parameters; by default the peripheral skips no event, and event lengths are unspecified.
    public init(
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

extension LEConnectionParameters: WireDecodable, WireEncodable, CustomStringConvertible {
    public init(from reader: inout ByteReader) throws(DecodeError) {
        minimumInterval = try LEInterval(from: &reader, "Connection_Interval_Min")
        maximumInterval = try LEInterval(from: &reader, "Connection_Interval_Max")
        latency = try reader.uint16("Max_Latency")
        supervisionTimeout = try LEInterval(from: &reader, "Supervision_Timeout")
        minimumEventLength = try LEInterval(from: &reader, "Min_CE_Length")
        maximumEventLength = try LEInterval(from: &reader, "Max_CE_Length")
    }

    public func encode(into writer: inout ByteWriter) {
        writer.append(minimumInterval)
        writer.append(maximumInterval)
        writer.uint16(latency)
        writer.append(supervisionTimeout)
        writer.append(minimumEventLength)
        writer.append(maximumEventLength)
    }

    /// `interval 30 ms to 50 ms, latency 0, timeout 420 ms`
    public var description: String {
        "interval \(minimumInterval) to \(maximumInterval), latency \(latency), timeout \(supervisionTimeout)"
    }
}
