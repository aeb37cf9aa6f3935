// SPDX-License-Identifier: MIT

/// Sets the parameters of legacy advertising.
///
/// A controller refuses it with Command Disallowed while it advertises. It also refuses it after a command for extended
/// scans or advertising, because a host must not mix the two until a reset.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.5
public struct LESetAdvertisingParameters: HCICommand {
    public typealias ReturnParameters = HCINoReturnParameters

    public static let opcode = HCIOpcode(.leController, 0x0006)
    public static let name = "LE Set Advertising Parameters"
    public static let completion = HCICommandCompletion.commandComplete
    public static let supportBit: HCISupportBit? = HCISupportBit(25, 5)

    /// The kind of advertisement.
    public enum Kind: UInt8, Hashable, Sendable {
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
    public var minimumInterval: LEInterval<625>
    /// The largest interval: 0x0020…0x4000 (Advertising_Interval_Max).
    public var maximumInterval: LEInterval<625>
    /// The kind of advertisement (Advertising_Type).
    public var kind: Kind
    /// The type of the advertiser's address (Own_Address_Type).
    public var ownAddressType: LEOwnAddressType
    /// The target of directed advertising (Peer_Address_Type, Peer_Address).
    public var peer: DeviceAddress
    /// The channels (Advertising_Channel_Map).
    public var channels: LEAdvertisingChannels
    /// The devices whose requests are answered (Advertising_Filter_Policy).
    public var filterPolicy: LEAdvertisingFilterPolicy

    /// Creates the command.
    public init(
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

    public init(from reader: inout ByteReader) throws(DecodeError) {
        minimumInterval = try LEInterval(from: &reader, "Advertising_Interval_Min")
        maximumInterval = try LEInterval(from: &reader, "Advertising_Interval_Max")
        kind = try reader.value("Advertising_Type")
        ownAddressType = try reader.value("Own_Address_Type")
        peer = try reader.deviceAddress("Peer_Address")
        channels = LEAdvertisingChannels(rawValue: try reader.uint8("Advertising_Channel_Map"))
        filterPolicy = try reader.value("Advertising_Filter_Policy")
    }

    public func encode(into writer: inout ByteWriter) {
        writer.append(minimumInterval)
        writer.append(maximumInterval)
        writer.uint8(kind.rawValue)
        writer.uint8(ownAddressType.rawValue)
        writer.deviceAddress(peer)
        writer.uint8(channels.rawValue)
        writer.uint8(filterPolicy.rawValue)
    }

    public var details: String {
        "\(kind), every \(minimumInterval) to \(maximumInterval), own address \(ownAddressType), channels \(channels)"
    }
}
