// SPDX-License-Identifier: MIT

/// The connection intervals that a peripheral prefers.
///
/// Spec: Core Specification Supplement 11, Part A, 1.9
public struct ADConnectionIntervalRange: Hashable, Sendable {
    /// The minimum interval; `nil` for no preference.
    public let minimum: LEInterval<1250>?
    /// The maximum interval; `nil` for no preference.
    public let maximum: LEInterval<1250>?

    /// Creates the element.
    public init(minimum: LEInterval<1250>?, maximum: LEInterval<1250>?) {
        self.minimum = minimum
        self.maximum = maximum
    }
}

extension ADConnectionIntervalRange: WireDecodable, WireEncodable {
    /// The value on the wire that states no preference. It is no interval: the longest one is 0x0C80.
    private static let noPreference: UInt32 = 0xFFFF

    public init(from reader: inout ByteReader) throws(DecodeError) {
        let minimum = try LEInterval<1250>(from: &reader, "minimum connection interval")
        let maximum = try LEInterval<1250>(from: &reader, "maximum connection interval")
        self.minimum = minimum.rawValue == Self.noPreference ? nil : minimum
        self.maximum = maximum.rawValue == Self.noPreference ? nil : maximum
    }

    public func encode(into writer: inout ByteWriter) {
        writer.append(minimum ?? LEInterval(rawValue: Self.noPreference))
        writer.append(maximum ?? LEInterval(rawValue: Self.noPreference))
    }
}

/// The devices that an advertisement is meant for.
///
/// Spec: Core Specification Supplement 11, Part A, 1.13 and 1.14
public struct ADTargetAddresses: Hashable, Sendable {
    /// The type of all the addresses: public or random.
    public let type: AddressType
    /// The addresses.
    public let addresses: [BluetoothAddress]

    /// Creates the element.
    public init(_ type: AddressType, _ addresses: [BluetoothAddress]) {
        self.type = type.connectionType
        self.addresses = addresses
    }
}

extension ADTargetAddresses: WireEncodable {
    /// Decodes all whole addresses; at least one is required.
    init(_ type: AddressType, from reader: inout ByteReader) throws(DecodeError) {
        var addresses = [try BluetoothAddress(from: &reader)]
        while reader.remaining >= 6 { addresses.append(try BluetoothAddress(from: &reader)) }
        self.init(type, addresses)
    }

    var adType: ADType { type == .public ? .publicTargetAddress : .randomTargetAddress }

    public func encode(into writer: inout ByteWriter) {
        for address in addresses { writer.append(address) }
    }
}

extension DeviceAddress {
    /// Decodes an address in the form of advertising data: the address, then an octet whose lowest bit is the type.
    ///
    /// Spec: Core Specification Supplement 11, Part A, 1.16
    init(advertised reader: inout ByteReader) throws(DecodeError) {
        let address = try BluetoothAddress(from: &reader)
        let type = try reader.uint8("address type")
        self.init(address, type & 0x01 == 0 ? .public : .random)
    }
}

extension LEFeatures {
    /// Decodes features in the form of advertising data, which omits octets of zeros at the end.
    ///
    /// Spec: Core Specification Supplement 11, Part A, 1.19
    init(advertised octets: [UInt8]) {
        self.init(rawValue: octets.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) })
    }

    /// The octets without the zeros at the end, but at least one.
    var advertisedOctets: [UInt8] {
        let octets = encoded()
        let last = octets.lastIndex { $0 != 0 } ?? 0
        return Array(octets[...last])
    }
}

/// The roles that a device supports.
///
/// Spec: Core Specification Supplement 11, Part A, 1.17
public struct ADLERole: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The octet on the wire.
    public let rawValue: UInt8

    /// Keeps any value, also an unknown one.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Peripheral only.
    public static let peripheralOnly = Self(rawValue: 0x00)
    /// Central only.
    public static let centralOnly = Self(rawValue: 0x01)
    /// Both, preferably peripheral.
    public static let peripheralPreferred = Self(rawValue: 0x02)
    /// Both, preferably central.
    public static let centralPreferred = Self(rawValue: 0x03)

    /// `peripheral only`
    public var description: String {
        switch self {
        case .peripheralOnly: "peripheral only"
        case .centralOnly: "central only"
        case .peripheralPreferred: "peripheral preferred"
        case .centralPreferred: "central preferred"
        default: "unknown (0x\(Hex.string(rawValue, minimumDigits: 2)))"
        }
    }
}
