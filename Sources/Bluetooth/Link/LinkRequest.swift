// SPDX-License-Identifier: MIT

/// The wanted properties of a connection; what is `nil` stays as it is.
public struct LinkRequest: Hashable, Sendable {
    /// A property that one procedure of the Link Layer changes.
    public enum Setting: CaseIterable, Hashable, Sendable {
        /// The PHY in both directions.
        case phy
        /// The limits of packets.
        case dataLength
        /// Interval, latency and supervision timeout.
        case parameters
        /// How many connection events are left out.
        case subrate
    }

    /// A PHY for both directions.
    public struct PHY: Hashable, Sendable {
        /// The PHY.
        public var phy: LEPHY
        /// The coding, if it is LE Coded.
        public var coding: LEPHYCoding

        /// A PHY; without a coding, the controllers choose it.
        public init(_ phy: LEPHY, coding: LEPHYCoding = .any) {
            self.phy = phy
            self.coding = coding
        }

        package var set: LEPHYSet {
            switch phy {
            case .le2M: .le2M
            case .coded, .codedS2: .coded
            default: .le1M
            }
        }
    }

    /// Why the parameters of a connection cannot be requested.
    public enum Problem: Error, Hashable, Sendable {
        /// The present interval is not known, and none is wanted: all parameters are set together.
        case unknownInterval
        /// The supervision timeout is not longer than the silence that interval and latency allow.
        case timeoutTooShort(least: LEInterval<10_000>)
        /// Interval and latency allow a longer silence than any supervision timeout.
        case silenceTooLong
        /// The peripheral may skip too many of the events that the subrate factor leaves.
        case tooFewEvents
    }

    /// The wanted PHY.
    public var phy: PHY?
    /// The wanted limit of sent packets, in octets: 27 to 251.
    public var dataLength: UInt16?
    /// The wanted range of the interval: 7.5 ms to 4 s.
    public var interval: ClosedRange<LEInterval<1250>>?
    /// The wanted latency: 0 to 499.
    public var latency: UInt16?
    /// The wanted supervision timeout: 100 ms to 32 s.
    public var supervisionTimeout: LEInterval<10_000>?
    /// The wanted subrate factor, within 1 to 500.
    public var subrate: ClosedRange<UInt16>?

    /// A request that changes nothing.
    public init() {}

    /// The possible connection intervals, in units of 1.25 ms.
    public static let intervals = LEInterval<1250>(rawValue: 0x0006)...LEInterval<1250>(rawValue: 0x0C80)
    /// The possible supervision timeouts.
    public static let supervisionTimeouts =
        LEInterval<10_000>(rawValue: 0x000A)...LEInterval<10_000>(rawValue: 0x0C80)
    /// The supervision timeout that is used if none is wanted or known: that of Linux.
    private static let usualTimeout = LEInterval<10_000>(.milliseconds(420))

    /// The requested changes, in the order of the procedures.
    public var settings: [Setting] {
        Setting.allCases.filter { setting in
            switch setting {
            case .phy: phy != nil
            case .dataLength: dataLength != nil
            case .parameters: interval != nil || latency != nil || supervisionTimeout != nil
            case .subrate: subrate != nil
            }
        }
    }

    /// Whether nothing is to be changed.
    public var isEmpty: Bool { settings.isEmpty }

    /// The parameters to request, with the present ones where none are wanted. A supervision timeout that is not wanted
    /// becomes longer if it has to.
    ///
    /// - Parameter state: The known properties of the connection.
    package func parameters(on state: LinkState) throws(Problem) -> LEConnectionParameters {
        guard let interval = interval ?? state.interval.map({ $0...$0 }) else { throw .unknownInterval }
        // A controller may report a latency that is not allowed, for which the user is not to blame.
        let latency = latency ?? min(state.latency ?? 0, 499)
        return LEConnectionParameters(
            minimumInterval: interval.lowerBound,
            maximumInterval: interval.upperBound,
            latency: latency,
            // The central may choose any interval of the range, also the longest.
            supervisionTimeout: try timeout(on: state, interval.upperBound, events: Int64(latency) + 1)
        )
    }

    /// The subrating to request. A latency that is not wanted becomes smaller if it has to.
    ///
    /// Spec: Core 5.4, Vol 4, Part E, 7.8.124
    package func subrating(_ factors: ClosedRange<UInt16>, on state: LinkState) throws(Problem) -> LESubrateParameters {
        guard let interval = state.interval else { throw .unknownInterval }
        let most = max(1, 500 / max(1, factors.upperBound)) - 1
        guard latency ?? 0 <= most else { throw .tooFewEvents }
        let latency = latency ?? min(state.latency ?? 0, most)
        return LESubrateParameters(
            factors: factors,
            maximumLatency: latency,
            supervisionTimeout: try timeout(
                on: state,
                interval,
                events: Int64(factors.upperBound) * (Int64(latency) + 1)
            )
        )
    }

    /// The supervision timeout to request: longer than twice the longest silence.
    ///
    /// - Parameter events: The number of intervals between two events that the peripheral must not skip.
    ///
    /// Spec: Core 5.4, Vol 4, Part E, 7.8.18
    private func timeout(
        on state: LinkState,
        _ interval: LEInterval<1250>,
        events: Int64
    ) throws(Problem) -> LEInterval<10_000> {
        // In microseconds, because an interval has units of 1,250 µs, and a timeout units of 10,000 µs.
        let silence = Int64(interval.rawValue) * 1_250 * events * 2
        // The timeout must be longer than the silence, so that a silence of whole units needs one more.
        let least = max(
            LEInterval(rawValue: UInt32(clamping: silence / 10_000 + 1)),
            Self.supervisionTimeouts.lowerBound
        )
        guard least <= Self.supervisionTimeouts.upperBound else { throw .silenceTooLong }
        guard let wanted = supervisionTimeout else { return max(state.supervisionTimeout ?? Self.usualTimeout, least) }
        guard wanted >= least else { throw .timeoutTooShort(least: least) }
        return wanted
    }
}
