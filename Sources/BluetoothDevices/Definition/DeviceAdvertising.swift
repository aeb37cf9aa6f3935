// SPDX-License-Identifier: MIT

public import Bluetooth

/// One advertising set of a device: its data and its interval.
public struct DeviceAdvertising: Hashable, Sendable {
    /// The PDUs that carry the advertisement.
    ///
    /// Spec: Core 5.4, Vol 6, Part B, 2.3.1
    public enum Kind: Hashable, Sendable {
        /// ADV_IND: any central may connect, and any scanner may request the scan response.
        case connectable
        /// ADV_SCAN_IND: any scanner may request the scan response.
        case scannable
        /// ADV_NONCONN_IND: a beacon, which accepts no requests.
        case nonConnectable
        /// ADV_EXT_IND and AUX_ADV_IND: up to 1,650 octets of data, visible to extended scanners only.
        case extended(sid: UInt8, isConnectable: Bool, primaryPHY: LEPHY, secondaryPHY: LEPHY)

        package var isConnectable: Bool {
            switch self {
            case .connectable: true
            case .scannable, .nonConnectable: false
            case .extended(_, let isConnectable, _, _): isConnectable
            }
        }
    }

    /// The time of one advertisement, for data that change.
    public struct Moment: Hashable, Sendable {
        /// The time since the device was started.
        public var uptime: Duration
        /// The number of earlier advertisements.
        public var event: UInt64

        /// The start of the device.
        public static let start = Moment(uptime: .zero, event: 0)

        /// Creates a moment.
        public init(uptime: Duration, event: UInt64) {
            self.uptime = uptime
            self.event = event
        }
    }

    /// The PDUs that carry it.
    public var kind: Kind
    /// The time between two advertisements, without the random delay of up to 10 ms: 20 ms to 10.24 s for legacy PDUs.
    public var interval: Duration
    /// The data; the frames are sent in turn: at most 31 octets each in legacy PDUs. Without a frame, the data are
    /// empty.
    public var frames: [AdvertisingFrame]
    /// The answer to an active scanner; `nil` if there is none.
    public var scanResponse: AdvertisingFrame?
    /// The transmit power in dBm that extended PDUs state.
    public var txPower: Int8?
    /// The only device that may connect; the advertisements then have no data, and other devices ignore them.
    ///
    /// Spec: Core 5.4, Vol 6, Part B, 2.3.1.2 (ADV_DIRECT_IND)
    public var target: DeviceAddress?

    /// Creates an advertising set; an interval below 20 ms counts as 20 ms.
    public init(
        _ kind: Kind,
        interval: Duration,
        frames: [AdvertisingFrame],
        scanResponse: AdvertisingFrame? = nil,
        txPower: Int8? = nil,
        target: DeviceAddress? = nil
    ) {
        self.kind = kind
        // Core 5.4, Vol 6, Part B, 4.4.2.2: an advertising interval is at least 20 ms.
        self.interval = max(interval, .milliseconds(20))
        self.frames = frames
        self.scanResponse = scanResponse
        self.txPower = txPower
        self.target = target
    }

    /// A set with constant data, given as octets.
    public init(_ kind: Kind, interval: Duration, data: [UInt8], scanResponse: [UInt8]? = nil, txPower: Int8? = nil) {
        self.init(
            kind,
            interval: interval,
            frames: [AdvertisingFrame([.octets(data)])],
            scanResponse: scanResponse.map { AdvertisingFrame([.octets($0)]) },
            txPower: txPower
        )
    }

    /// The octets of the frame whose turn it is.
    public func data(_ moment: Moment) -> [UInt8] {
        frames.isEmpty ? [] : frames[Int(moment.event % UInt64(frames.count))].encoded(at: moment)
    }

    /// The octets of the scan response; empty if there is none.
    public func response(_ moment: Moment) -> [UInt8] { scanResponse?.encoded(at: moment) ?? [] }

    /// Whether the data never change.
    public var isConstant: Bool { frames.count <= 1 && frames.allSatisfy(\.isConstant) }

    /// Whether the set accepts connections.
    public var isConnectable: Bool { kind.isConnectable }

    /// The PHY of the advertising channels.
    public var primaryPHY: LEPHY {
        switch kind {
        case .connectable, .scannable, .nonConnectable: .le1M
        case .extended(_, _, let primaryPHY, _): primaryPHY
        }
    }
}
