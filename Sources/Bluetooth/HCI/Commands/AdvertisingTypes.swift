// SPDX-License-Identifier: MIT

/// The primary advertising channels to use, with one bit for each.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.5 (Advertising_Channel_Map)
public struct LEAdvertisingChannels: OptionSet, Hashable, Sendable, CustomStringConvertible {
    /// The bits on the wire.
    public let rawValue: UInt8

    /// Keeps all bits, also those that are reserved.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Channels 37, 38 and 39.
    public static let all = Self(rawValue: 0x07)

    /// `37+38+39`
    public var description: String {
        (0..<3).filter { rawValue >> $0 & 1 == 1 }.map { "\(37 + $0)" }.joined(separator: "+")
    }
}

/// The devices whose scan and connection requests an advertiser answers.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.5 (Advertising_Filter_Policy)
public enum LEAdvertisingFilterPolicy: UInt8, Hashable, Sendable {
    /// Requests of all devices.
    case all = 0x00
    /// Scan requests of devices in the filter accept list, connection requests of all devices.
    case scanAcceptList = 0x01
    /// Scan requests of all devices, connection requests of devices in the filter accept list.
    case connectAcceptList = 0x02
    /// Only those of devices in the filter accept list.
    case acceptList = 0x03
}

/// An advertising set of the controller: 0x00…0xEF.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.53 (Advertising_Handle)
public struct LEAdvertisingHandle: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The octet on the wire.
    public let rawValue: UInt8

    /// Keeps any value, also an unknown one.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// `0x01`
    public var description: String { "0x" + Hex.string(rawValue, minimumDigits: 2) }
}

extension LEAdvertisingHandle: WireDecodable, WireEncodable {
    public init(from reader: inout ByteReader) throws(DecodeError) {
        rawValue = try reader.uint8("Advertising_Handle")
    }

    public func encode(into writer: inout ByteWriter) { writer.uint8(rawValue) }
}
