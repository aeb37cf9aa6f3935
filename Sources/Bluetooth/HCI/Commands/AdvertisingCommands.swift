// SPDX-License-Identifier: MIT

/// Sets the parameters of legacy advertising.
///
/// A controller refuses it with Command Disallowed while it advertises. It also refuses it after a command for extended
/// scans or advertising, because a host must not mix the two until a reset.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.5
package struct LESetAdvertisingParameters: HCICommand, FieldCoded {
    package static let form = HCIForm(.leController, 0x0006, "LE Set Advertising Parameters", bit: (25, 5))

    package enum Kind: UInt8, Hashable, Sendable, CustomStringConvertible {
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

        package var description: String {
            switch self {
            case .connectableScannable: "ADV_IND"
            case .directedHighDutyCycle: "ADV_DIRECT_IND with high duty cycle"
            case .scannable: "ADV_SCAN_IND"
            case .nonConnectable: "ADV_NONCONN_IND"
            case .directedLowDutyCycle: "ADV_DIRECT_IND with low duty cycle"
            }
        }
    }

    /// The smallest interval: 0x0020…0x4000 (Advertising_Interval_Min).
    package var minimumInterval: LEInterval<625>
    /// The largest interval: 0x0020…0x4000 (Advertising_Interval_Max).
    package var maximumInterval: LEInterval<625>
    package var kind: Kind
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

    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
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

/// Asks for the transmit power of legacy advertisements.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.6
package struct LEReadAdvertisingPhysicalChannelTxPower: HCIParameterlessCommand {
    package static let form = HCIForm(
        .leController,
        0x0007,
        "LE Read Advertising Physical Channel Tx Power",
        bit: (25, 6)
    )

    package init() {}

    /// The return parameters: the level in dBm.
    package struct ReturnParameters: HCIReturnParameters, FieldCoded {
        /// The power in dBm, from -20 to 20 (TX_Power_Level).
        package var power: Int8

        package init(power: Int8) { self.power = power }

        package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
            power = try fields(\.power, "TX_Power_Level")
        }

        package var details: String { "\(power) dBm" }
    }
}

/// Sets the data of legacy advertisements.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.7
package struct LESetAdvertisingData: HCICommand {
    package static let form = HCIForm(.leController, 0x0008, "LE Set Advertising Data", bit: (25, 7))

    /// The maximum number of octets of data: a legacy PDU has 37, six of which are the address.
    ///
    /// Spec: Core 5.4, Vol 6, Part B, 2.3.1.1
    package static let maximumLength = LegacyAdvertisingData.maximumLength

    /// The data, 31 octets at most (Advertising_Data).
    package let data: [UInt8]

    /// Creates the command; `nil` for more than 31 octets.
    package init?(_ data: [UInt8]) {
        guard data.count <= LegacyAdvertisingData.maximumLength else { return nil }
        self.data = data
    }

    package init(from reader: inout ByteReader) throws(DecodeError) {
        data = try LegacyAdvertisingData.decode(from: &reader, "Advertising_Data")
    }

    package func encode(into writer: inout ByteWriter) { LegacyAdvertisingData.encode(data, into: &writer) }

    package var details: String { data.isEmpty ? "none" : Hex.string(data) }
}

/// Sets the data of legacy scan responses.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.8
package struct LESetScanResponseData: HCICommand {
    package static let form = HCIForm(.leController, 0x0009, "LE Set Scan Response Data", bit: (26, 0))

    /// The data, 31 octets at most (Scan_Response_Data).
    package let data: [UInt8]

    /// Creates the command; `nil` for more than 31 octets.
    package init?(_ data: [UInt8]) {
        guard data.count <= LegacyAdvertisingData.maximumLength else { return nil }
        self.data = data
    }

    package init(from reader: inout ByteReader) throws(DecodeError) {
        data = try LegacyAdvertisingData.decode(from: &reader, "Scan_Response_Data")
    }

    package func encode(into writer: inout ByteWriter) { LegacyAdvertisingData.encode(data, into: &writer) }

    package var details: String { data.isEmpty ? "none" : Hex.string(data) }
}

/// The encoding of legacy advertising data in commands: a length, then always 31 octets.
private enum LegacyAdvertisingData {
    static let maximumLength = 31

    static func decode(from reader: inout ByteReader, _ field: String) throws(DecodeError) -> [UInt8] {
        let length = try reader.uint8("\(field)_Length")
        guard length <= maximumLength else { throw DecodeError("\(field)_Length", .invalid(value: UInt64(length))) }
        // The field always has 31 octets, also if fewer of them count.
        return Array(try reader.bytes(maximumLength, field).prefix(Int(length)))
    }

    static func encode(_ data: [UInt8], into writer: inout ByteWriter) {
        writer.uint8(UInt8(clamping: data.count))
        writer.append(data)
        writer.append(repeatElement(0, count: max(0, maximumLength - data.count)))
    }
}

/// Starts and stops legacy advertising.
///
/// Connectable advertising also ends when a central connects.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.9
package struct LESetAdvertisingEnable: HCICommand, FieldCoded {
    package static let form = HCIForm(.leController, 0x000A, "LE Set Advertising Enable", bit: (26, 1))

    package var isEnabled: Bool

    package init(isEnabled: Bool) { self.isEnabled = isEnabled }

    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        isEnabled = try fields(\.isEnabled, "Advertising_Enable")
    }

    package var details: String { isEnabled ? "on" : "off" }
}
