// SPDX-License-Identifier: MIT

/// Sets the parameters of an advertising set. Creates the set if there is none with that handle.
///
/// A controller refuses it with Command Disallowed while the set is enabled.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.53
public struct LESetExtendedAdvertisingParameters: HCICommand {
    public static let opcode = HCIOpcode(.leController, 0x0036)
    public static let name = "LE Set Extended Advertising Parameters"
    public static let completion = HCICommandCompletion.commandComplete
    public static let supportBit: HCISupportBit? = HCISupportBit(36, 2)

    /// The properties of the advertisements, with one bit for each.
    public struct Properties: OptionSet, Hashable, Sendable, CustomStringConvertible {
        /// The bits on the wire.
        public let rawValue: UInt16

        /// Keeps all bits, also those that are reserved.
        public init(rawValue: UInt16) { self.rawValue = rawValue }

        /// The advertiser can be connected.
        public static let connectable = Self(rawValue: 1 << 0)
        /// The advertiser has a scan response.
        public static let scannable = Self(rawValue: 1 << 1)
        /// The advertisement addresses one device.
        public static let directed = Self(rawValue: 1 << 2)
        /// Directed advertisements in quick succession.
        public static let highDutyCycle = Self(rawValue: 1 << 3)
        /// Advertisements in legacy PDUs.
        public static let legacy = Self(rawValue: 1 << 4)
        /// Advertisements without the advertiser's address.
        public static let anonymous = Self(rawValue: 1 << 5)
        /// Advertisements with their transmit power.
        public static let includeTxPower = Self(rawValue: 1 << 6)

        /// `connectable+scannable+legacy`
        public var description: String {
            let names: [(Self, String)] = [
                (.connectable, "connectable"), (.scannable, "scannable"), (.directed, "directed"),
                (.highDutyCycle, "high duty cycle"), (.legacy, "legacy"), (.anonymous, "anonymous"),
                (.includeTxPower, "tx power"),
            ]
            let present = names.filter { contains($0.0) }.map(\.1)
            return present.isEmpty ? "no properties" : present.joined(separator: "+")
        }
    }

    /// The set (Advertising_Handle).
    public var set: LEAdvertisingHandle
    /// The properties of the advertisements (Advertising_Event_Properties).
    public var properties: Properties
    /// The smallest interval: 0x000020…0xFFFFFF (Primary_Advertising_Interval_Min).
    public var minimumInterval: LEInterval<625>
    /// The largest interval: 0x000020…0xFFFFFF (Primary_Advertising_Interval_Max).
    public var maximumInterval: LEInterval<625>
    /// The primary channels (Primary_Advertising_Channel_Map).
    public var channels: LEAdvertisingChannels
    /// The type of the advertiser's address (Own_Address_Type).
    public var ownAddressType: LEOwnAddressType
    /// The target of directed advertising (Peer_Address_Type, Peer_Address).
    public var peer: DeviceAddress
    /// The devices whose requests are answered (Advertising_Filter_Policy).
    public var filterPolicy: LEAdvertisingFilterPolicy
    /// The transmit power in dBm; `nil` for the controller's choice (Advertising_TX_Power).
    public var txPower: Int8?
    /// The PHY of the primary channels: LE 1M or LE Coded (Primary_Advertising_PHY).
    public var primaryPHY: LEPHY
    /// The number of advertising events that may be skipped before the data are sent again
    /// (Secondary_Advertising_Max_Skip).
    public var secondaryMaximumSkip: UInt8
    /// The PHY of the data (Secondary_Advertising_PHY).
    public var secondaryPHY: LEPHY
    /// The set's number in advertising reports, 0…15 (Advertising_SID).
    public var sid: UInt8
    /// Whether scan requests are reported (Scan_Request_Notification_Enable).
    public var reportsScanRequests: Bool

    /// Creates the command.
    public init(
        set: LEAdvertisingHandle,
        properties: Properties,
        minimumInterval: LEInterval<625>,
        maximumInterval: LEInterval<625>,
        channels: LEAdvertisingChannels = .all,
        ownAddressType: LEOwnAddressType = .public,
        peer: DeviceAddress = DeviceAddress(BluetoothAddress(rawValue: 0), .public),
        filterPolicy: LEAdvertisingFilterPolicy = .all,
        txPower: Int8? = nil,
        primaryPHY: LEPHY = .le1M,
        secondaryMaximumSkip: UInt8 = 0,
        secondaryPHY: LEPHY = .le1M,
        sid: UInt8 = 0,
        reportsScanRequests: Bool = false
    ) {
        self.set = set
        self.properties = properties
        self.minimumInterval = minimumInterval
        self.maximumInterval = maximumInterval
        self.channels = channels
        self.ownAddressType = ownAddressType
        self.peer = peer
        self.filterPolicy = filterPolicy
        self.txPower = txPower
        self.primaryPHY = primaryPHY
        self.secondaryMaximumSkip = secondaryMaximumSkip
        self.secondaryPHY = secondaryPHY
        self.sid = sid
        self.reportsScanRequests = reportsScanRequests
    }

    public init(from reader: inout ByteReader) throws(DecodeError) {
        set = try LEAdvertisingHandle(from: &reader)
        properties = Properties(rawValue: try reader.uint16("Advertising_Event_Properties"))
        minimumInterval = try LEInterval(octets3: &reader, "Primary_Advertising_Interval_Min")
        maximumInterval = try LEInterval(octets3: &reader, "Primary_Advertising_Interval_Max")
        channels = LEAdvertisingChannels(rawValue: try reader.uint8("Primary_Advertising_Channel_Map"))
        ownAddressType = try reader.value("Own_Address_Type")
        peer = try reader.deviceAddress("Peer_Address")
        filterPolicy = try reader.value("Advertising_Filter_Policy")
        txPower = try reader.optionalPower("Advertising_TX_Power")
        primaryPHY = try LEPHY(from: &reader)
        secondaryMaximumSkip = try reader.uint8("Secondary_Advertising_Max_Skip")
        secondaryPHY = try LEPHY(from: &reader)
        sid = try reader.uint8("Advertising_SID")
        reportsScanRequests = try reader.flag("Scan_Request_Notification_Enable")
    }

    public func encode(into writer: inout ByteWriter) {
        writer.append(set)
        writer.uint16(properties.rawValue)
        minimumInterval.encode3(into: &writer)
        maximumInterval.encode3(into: &writer)
        writer.uint8(channels.rawValue)
        writer.uint8(ownAddressType.rawValue)
        writer.deviceAddress(peer)
        writer.uint8(filterPolicy.rawValue)
        writer.optionalPower(txPower)
        writer.append(primaryPHY)
        writer.uint8(secondaryMaximumSkip)
        writer.append(secondaryPHY)
        writer.uint8(sid)
        writer.flag(reportsScanRequests)
    }

    public var details: String {
        "set \(set), \(properties), every \(minimumInterval) to \(maximumInterval), "
            + "own address \(ownAddressType), PHY \(primaryPHY)/\(secondaryPHY), SID \(sid)"
    }

    /// The controller's choice.
    public struct ReturnParameters: HCIReturnParameters {
        /// The transmit power in dBm (Selected_TX_Power).
        public var selectedTxPower: Int8

        /// Creates the return parameters.
        public init(selectedTxPower: Int8) { self.selectedTxPower = selectedTxPower }

        public init(from reader: inout ByteReader) throws(DecodeError) {
            selectedTxPower = try reader.int8("Selected_TX_Power")
        }

        public func encode(into writer: inout ByteWriter) { writer.int8(selectedTxPower) }

        public var details: String { "\(selectedTxPower) dBm" }
    }
}
