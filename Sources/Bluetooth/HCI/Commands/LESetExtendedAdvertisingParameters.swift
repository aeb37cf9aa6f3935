// SPDX-License-Identifier: MIT

/// Sets the parameters of an advertising set. Creates the set if there is none with that handle.
///
/// A controller refuses it with Command Disallowed while the set is enabled.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.53
package struct LESetExtendedAdvertisingParameters: HCICommand, FieldCoded {
    package static let opcode = HCIOpcode(.leController, 0x0036)
    package static let name = "LE Set Extended Advertising Parameters"
    package static let supportBit: HCISupportBit? = HCISupportBit(36, 2)

    /// The properties of the advertisements, with one bit for each.
    package struct Properties: OptionSet, Hashable, Sendable, CustomStringConvertible {
        package let rawValue: UInt16

        package init(rawValue: UInt16) { self.rawValue = rawValue }

        /// The advertiser can be connected.
        package static let connectable = Self(rawValue: 1 << 0)
        /// The advertiser has a scan response.
        package static let scannable = Self(rawValue: 1 << 1)
        /// The advertisement addresses one device.
        package static let directed = Self(rawValue: 1 << 2)
        /// Directed advertisements in quick succession.
        package static let highDutyCycle = Self(rawValue: 1 << 3)
        /// Advertisements in legacy PDUs.
        package static let legacy = Self(rawValue: 1 << 4)
        /// Advertisements without the advertiser's address.
        package static let anonymous = Self(rawValue: 1 << 5)
        /// Advertisements with their transmit power.
        package static let includeTxPower = Self(rawValue: 1 << 6)

        /// `connectable+scannable+legacy`
        package var description: String {
            let names: [(Self, String)] = [
                (.connectable, "connectable"), (.scannable, "scannable"), (.directed, "directed"),
                (.highDutyCycle, "high duty cycle"), (.legacy, "legacy"), (.anonymous, "anonymous"),
                (.includeTxPower, "tx power"),
            ]
            let present = names.filter { contains($0.0) }.map(\.1)
            return present.isEmpty ? "no properties" : present.joined(separator: "+")
        }
    }

    package var set: LEAdvertisingHandle
    /// The properties of the advertisements (Advertising_Event_Properties).
    package var properties: Properties
    /// The smallest interval: 0x000020…0xFFFFFF (Primary_Advertising_Interval_Min).
    package var minimumInterval: LEInterval<625>
    /// The largest interval: 0x000020…0xFFFFFF (Primary_Advertising_Interval_Max).
    package var maximumInterval: LEInterval<625>
    /// The primary channels (Primary_Advertising_Channel_Map).
    package var channels: LEAdvertisingChannels
    /// The type of the advertiser's address (Own_Address_Type).
    package var ownAddressType: LEOwnAddressType
    /// The target of directed advertising (Peer_Address_Type, Peer_Address).
    package var peer: DeviceAddress
    /// The devices whose requests are answered (Advertising_Filter_Policy).
    package var filterPolicy: LEAdvertisingFilterPolicy
    /// The transmit power in dBm; `nil` for the controller's choice (Advertising_TX_Power).
    package var txPower: Int8?
    /// The PHY of the primary channels: LE 1M or LE Coded (Primary_Advertising_PHY).
    package var primaryPHY: LEPHY
    /// The number of advertising events that may be skipped before the data are sent again
    /// (Secondary_Advertising_Max_Skip).
    package var secondaryMaximumSkip: UInt8
    /// The PHY of the data (Secondary_Advertising_PHY).
    package var secondaryPHY: LEPHY
    /// The set's number in advertising reports, 0…15 (Advertising_SID).
    package var sid: UInt8
    /// Whether scan requests are reported (Scan_Request_Notification_Enable).
    package var reportsScanRequests: Bool

    package init(
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

    init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        set = try fields(\.set)
        properties = try fields(\.properties, "Advertising_Event_Properties")
        minimumInterval = try fields(\.minimumInterval, octets: 3, "Primary_Advertising_Interval_Min")
        maximumInterval = try fields(\.maximumInterval, octets: 3, "Primary_Advertising_Interval_Max")
        channels = try fields(\.channels, "Primary_Advertising_Channel_Map")
        ownAddressType = try fields(\.ownAddressType, "Own_Address_Type")
        peer = try fields(\.peer, "Peer_Address")
        filterPolicy = try fields(\.filterPolicy, "Advertising_Filter_Policy")
        txPower = try fields(\.txPower, "Advertising_TX_Power")
        primaryPHY = try fields(\.primaryPHY)
        secondaryMaximumSkip = try fields(\.secondaryMaximumSkip, "Secondary_Advertising_Max_Skip")
        secondaryPHY = try fields(\.secondaryPHY)
        sid = try fields(\.sid, "Advertising_SID")
        reportsScanRequests = try fields(\.reportsScanRequests, "Scan_Request_Notification_Enable")
    }

    package var details: String {
        "set \(set), \(properties), every \(minimumInterval) to \(maximumInterval), "
            + "own address \(ownAddressType), PHY \(primaryPHY)/\(secondaryPHY), SID \(sid)"
    }

    /// The controller's choice.
    package struct ReturnParameters: HCIReturnParameters, FieldCoded {
        /// The transmit power in dBm (Selected_TX_Power).
        package var selectedTxPower: Int8

        package init(selectedTxPower: Int8) { self.selectedTxPower = selectedTxPower }

        init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
            selectedTxPower = try fields(\.selectedTxPower, "Selected_TX_Power")
        }

        package var details: String { "\(selectedTxPower) dBm" }
    }
}
