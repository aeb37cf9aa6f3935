// SPDX-License-Identifier: GPL-2.0-or-later

public import Bluetooth

/// What a device sends on the advertising channels, and how often: one advertising set.
public struct DeviceAdvertising: Sendable {
    /// Which PDUs carry the advertisement.
    ///
    /// Spec: Core 5.4, Vol 6, Part B, 2.3.1
    public enum Kind: Hashable, Sendable {
        /// ADV_IND: whoever hears it may connect, or ask for the scan response.
        case connectable
        /// ADV_SCAN_IND: whoever hears it may ask for the scan response.
        case scannable
        /// ADV_NONCONN_IND: a beacon.
        case nonConnectable
        /// ADV_EXT_IND and AUX_ADV_IND: seen by extended scanners only, with up to 1,650 octets of data.
        case extended(sid: UInt8, isConnectable: Bool, primaryPHY: LEPHY, secondaryPHY: LEPHY)
    }

    /// When an advertisement goes out, for data that change.
    public struct Moment: Hashable, Sendable {
        /// How long the device has been running.
        public var uptime: Duration
        /// How many advertisements went out before.
        public var event: UInt64

        /// Puts the two together.
        public init(uptime: Duration, event: UInt64) {
            self.uptime = uptime
            self.event = event
        }
    }

    /// Which PDUs carry it.
    public var kind: Kind
    /// From one advertisement to the next, before the random delay of up to 10 ms: 20 ms to 10.24 s for legacy PDUs.
    public var interval: Duration
    /// The data at a moment; at most 31 octets in legacy PDUs.
    public var data: @Sendable (Moment) -> [UInt8]
    /// What an active scanner gets on asking; `nil` for nothing to ask for.
    public var scanResponse: [UInt8]?
    /// The power that extended PDUs name, in dBm.
    public var txPower: Int8?
    /// Whether the data are the same at every moment.
    public private(set) var isConstant = false

    /// An advertisement whose data never change.
    public init(
        _ kind: Kind,
        interval: Duration,
        data: [UInt8],
        scanResponse: [UInt8]? = nil,
        txPower: Int8? = nil
    ) {
        self.init(kind, interval: interval, frames: [data], scanResponse: scanResponse, txPower: txPower)
    }

    /// An advertisement that goes through several frames in turn.
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

    /// An advertisement whose data depend on the moment.
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

    /// Whether a connection can be asked for.
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
