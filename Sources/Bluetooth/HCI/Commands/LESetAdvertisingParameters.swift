// SPDX-License-Identifier: MIT

/// Sets the parameters of legacy advertising.
///
/// A controller refuses it with Command Disallowed while it advertises. It also refuses it after a command for extended
/// scans or advertising, because a host must not mix the two until a reset.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.5
package struct LESetAdvertisingParameters: HCICommand, FieldCoded {
    package static let opcode = HCIOpcode(.leController, 0x0006)
    package static let name = "LE Set Advertising Parameters"
    package static let supportBit: HCISupportBit? = HCISupportBit(25, 5)

    /// The kind of advertisement.
    package enum Kind: UInt8, Hashable, Sendable {
        /// ADV_IND.
        case connectableScannable = 0x00
        /// ADV_DIRECT_IND in quick succession.
        case directedHighDutyCycle = 0x01
        /// ADV_SCAN_IND.
        case scannable = 0x02
        /// ADV_NONCONN_IND.
        case nonConnectable = 0x03
        /// ADV_DIRECT_IND.
        case directedLowDutyCycle = 0x04
    }

    /// The smallest interval: 0x0020…0x4000 (Advertising_Interval_Min).
    package var minimumInterval: LEInterval<625>
    /// The largest interval: 0x0020…0x4000 (Advertising_Interval_Max).
    package var maximumInterval: LEInterval<625>
    /// The kind of advertisement (Advertising_Type).
    package var kind: Kind
    /// The type of the advertiser's address (Own_Address_Type).
    package var ownAddressType: LEOwnAddressType
    /// The target of directed advertising (Peer_Address_Type, Peer_Address).
    package var peer: DeviceAddress
    package var channels: LEAdvertisingChannels
    /// The devices whose requests are answered (Advertising_Filter_Policy).
    package var filterPolicy: LEAdvertisingFilterPolicy

    package init(
        minimumInterval: LEInterval<625>,
        maximumInterval: LEInterval<625>,
        kind: Kind = .connectableScannable,
        ownAddressType: LEOwnAddressType = .public,
        peer: DeviceAddress = DeviceAddress(BluetoothAddress(rawValue: 0), .public),
        channels: LEAdvertisingChannels = .all,
        filterPolicy: LEAdvertisingFilterPolicy = .all
    ) {
        self.minimumInterval = minimumInterval
        self.maximumInterval = maximumInterval
        self.kind = kind
        self.ownAddressType = ownAddressType
        self.peer = peer
        self.channels = channels
        self.filterPolicy = filterPolicy
    }

    init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        minimumInterval = try fields(\.minimumInterval, "Advertising_Interval_Min")
        maximumInterval = try fields(\.maximumInterval, "Advertising_Interval_Max")
        kind = try fields(\.kind, "Advertising_Type")
        ownAddressType = try fields(\.ownAddressType, "Own_Address_Type")
        peer = try fields(\.peer, "Peer_Address")
        channels = try fields(\.channels, "Advertising_Channel_Map")
        filterPolicy = try fields(\.filterPolicy, "Advertising_Filter_Policy")
    }

    package var details: String {
        "\(kind), every \(minimumInterval) to \(maximumInterval), own address \(ownAddressType), channels \(channels)"
    }
}
