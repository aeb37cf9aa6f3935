// SPDX-License-Identifier: MIT

/// A received advertisement. Legacy and extended reports of the controller have the same form here.
public struct AdvertisingReport: Hashable, Sendable {
    /// The kind of advertisement, as the bits of an extended report.
    ///
    /// Spec: Core 5.4, Vol 4, Part E, 7.7.65.13 (Event_Type)
    public struct Properties: OptionSet, Hashable, Sendable {
        /// The bits on the wire, without the two of the data status.
        public let rawValue: UInt16

        /// Keeps all bits, also those that are reserved.
        public init(rawValue: UInt16) { self.rawValue = rawValue }

        /// The advertiser accepts connections. A legacy report of a scan response does not show that.
        public static let connectable = Self(rawValue: 1 << 0)
        /// The advertiser has a scan response.
        public static let scannable = Self(rawValue: 1 << 1)
        /// The advertisement is meant for one device.
        public static let directed = Self(rawValue: 1 << 2)
        /// It is a scan response.
        public static let scanResponse = Self(rawValue: 1 << 3)
        /// It was sent in a legacy advertising PDU.
        public static let legacy = Self(rawValue: 1 << 4)
    }

    /// Whether the data are complete.
    ///
    /// Spec: Core 5.4, Vol 4, Part E, 7.7.65.13 (Event_Type, bits 5 and 6)
    public enum DataStatus: UInt8, Hashable, Sendable {
        /// All data, or the last fragment.
        case complete = 0b00
        /// The next report of the same set continues the data.
        case moreToCome = 0b01
        /// The rest was lost.
        case truncated = 0b10
        /// A value that the specification reserves.
        case reserved = 0b11
    }

    /// The advertiser's address; all zeros if it is anonymous.
    public var address: DeviceAddress
    /// The kind of advertisement.
    public var properties: Properties
    /// Whether the data are complete.
    public var dataStatus: DataStatus
    /// The PHY of the advertising channel.
    public var primaryPHY: LEPHY
    /// The PHY of the data, if they were sent on a secondary channel.
    public var secondaryPHY: LEPHY?
    /// The device's advertising set, 0…15.
    public var advertisingSID: UInt8?
    /// The transmit power in dBm, if the controller knows it. Legacy advertisers may send it in their data instead.
    public var txPower: Int8?
    /// The signal strength in dBm, if the controller knows it.
    public var rssi: Int8?
    /// The interval of the periodic advertising of the set.
    public var periodicInterval: LEInterval<1250>?
    /// The device that a directed advertisement is meant for.
    public var target: DeviceAddress?
    /// The advertising data or scan response data.
    public var data: [UInt8]

    /// Creates a report.
    public init(
        address: DeviceAddress,
        properties: Properties,
        dataStatus: DataStatus = .complete,
        primaryPHY: LEPHY = .le1M,
        secondaryPHY: LEPHY? = nil,
        advertisingSID: UInt8? = nil,
        txPower: Int8? = nil,
        rssi: Int8?,
        periodicInterval: LEInterval<1250>? = nil,
        target: DeviceAddress? = nil,
        data: [UInt8]
    ) {
        self.address = address
        self.properties = properties
        self.dataStatus = dataStatus
        self.primaryPHY = primaryPHY
        self.secondaryPHY = secondaryPHY
        self.advertisingSID = advertisingSID
        self.txPower = txPower
        self.rssi = rssi
        self.periodicInterval = periodicInterval
        self.target = target
        self.data = data
    }
}

extension AdvertisingReport.Properties {
    /// ADV_IND.
    public static let advInd: Self = [.connectable, .scannable, .legacy]
    /// ADV_DIRECT_IND.
    public static let advDirectInd: Self = [.connectable, .directed, .legacy]
    /// ADV_SCAN_IND.
    public static let advScanInd: Self = [.scannable, .legacy]
    /// ADV_NONCONN_IND.
    public static let advNonconnInd: Self = [.legacy]
    /// SCAN_RSP to an advertisement that may have been connectable or not.
    public static let scanRsp: Self = [.scannable, .scanResponse, .legacy]
}

extension AdvertisingReport: CustomStringConvertible {
    private static let names: [(Properties, String)] = [
        (.connectable, "connectable"), (.scannable, "scannable"), (.directed, "directed"),
        (.scanResponse, "scan response"), (.legacy, "legacy"),
    ]

    /// The report on one line, with the data in hexadecimal.
    public var description: String {
        // Appended to one string with room for most: a capture has a million of them.
        var text = address.description
        text.reserveCapacity(128 + 2 * data.count)
        for (property, name) in Self.names where properties.contains(property) {
            text += ", "
            text += name
        }
        if let target { text += ", to \(target)" }
        if let secondaryPHY { text += ", PHY \(primaryPHY)/\(secondaryPHY)" }
        if let advertisingSID { text += ", SID \(advertisingSID)" }
        if let txPower { text += ", tx \(txPower) dBm" }
        if let periodicInterval { text += ", periodic \(periodicInterval)" }
        if let rssi { text += ", \(rssi) dBm" }
        switch dataStatus {
        case .complete: break
        case .moreToCome: text += ", more to come"
        case .truncated: text += ", truncated"
        case .reserved: text += ", reserved data status"
        }
        text += ", "
        text += data.isEmpty ? "no data" : Hex.string(data)
        return text
    }
}
