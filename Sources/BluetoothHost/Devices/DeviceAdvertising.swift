// SPDX-License-Identifier: GPL-2.0-or-later

public import Bluetooth

/// One advertising set of a device: its data and its interval.
public struct DeviceAdvertising: Sendable {
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
    }

    /// The time of one advertisement, for data that change.
    public struct Moment: Hashable, Sendable {
        /// The time since the device was started.
        public var uptime: Duration
        /// The number of earlier advertisements.
        public var event: UInt64

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
    /// The data at a moment: at most 31 octets in legacy PDUs.
    public var data: @Sendable (Moment) -> [UInt8]
    /// The answer to an active scanner; `nil` if there is none.
    public var scanResponse: [UInt8]?
    /// The transmit power in dBm that extended PDUs state.
    public var txPower: Int8?
    /// Whether the data never change.
    public private(set) var isConstant = false

    /// An advertisement with constant data; `interval` is at least 20 ms.
    public init(
        _ kind: Kind,
        interval: Duration,
        data: [UInt8],
        scanResponse: [UInt8]? = nil,
        txPower: Int8? = nil
    ) {
        self.init(kind, interval: interval, frames: [data], scanResponse: scanResponse, txPower: txPower)
    }

    /// An advertisement that sends several frames in turn; `interval` is at least 20 ms.
    public init(
        _ kind: Kind,
        interval: Duration,
        frames: [[UInt8]],
        scanResponse: [UInt8]? = nil,
        txPower: Int8? = nil
    ) {
        self.init(kind, interval: interval, scanResponse: scanResponse, txPower: txPower) { moment in
            frames.isEmpty ? [] : frames[Int(moment.event % UInt64(frames.count))]
        }
        isConstant = frames.count <= 1
    }

    /// An advertisement whose data depend on the moment; `interval` is at least 20 ms.
    public init(
        _ kind: Kind,
        interval: Duration,
        scanResponse: [UInt8]? = nil,
        txPower: Int8? = nil,
        data: @escaping @Sendable (Moment) -> [UInt8]
    ) {
        self.kind = kind
        self.interval = max(interval, .milliseconds(20))
        self.data = data
        self.scanResponse = scanResponse
        self.txPower = txPower
    }

    /// Whether the set accepts connections.
    public var isConnectable: Bool {
        switch kind {
        case .connectable: true
        case .scannable, .nonConnectable: false
        case .extended(_, let isConnectable, _, _): isConnectable
        }
    }

    /// The PHY of the advertising channels.
    public var primaryPHY: LEPHY {
        switch kind {
        case .connectable, .scannable, .nonConnectable: .le1M
        case .extended(_, _, let primaryPHY, _): primaryPHY
        }
    }
}
