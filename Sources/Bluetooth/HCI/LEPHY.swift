// SPDX-License-Identifier: MIT

/// An LE PHY in events. Unknown values are kept.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7.65.12
public struct LEPHY: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The octet on the wire.
    public let rawValue: UInt8

    /// Keeps any value, also an unknown one.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// LE 1M.
    public static let le1M = Self(rawValue: 0x01)
    /// LE 2M.
    public static let le2M = Self(rawValue: 0x02)
    /// LE Coded: long range.
    public static let coded = Self(rawValue: 0x03)
    /// LE Coded with S=2, in reports that state the coding.
    public static let codedS2 = Self(rawValue: 0x04)

    /// `1M`, `2M`, `coded`
    public var description: String {
        switch self {
        case .le1M: "1M"
        case .le2M: "2M"
        case .coded: "coded"
        case .codedS2: "coded S=2"
        default: "unknown (0x\(Hex.string(rawValue, minimumDigits: 2)))"
        }
    }
}

extension LEPHY: WireDecodable, WireEncodable {
    public init(from reader: inout ByteReader) throws(DecodeError) {
        rawValue = try reader.uint8("PHY")
    }

    public func encode(into writer: inout ByteWriter) { writer.uint8(rawValue) }
}

/// A set of PHYs in commands, with one bit for each.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.49
public struct LEPHYSet: OptionSet, Hashable, Sendable, CustomStringConvertible {
    /// The octet on the wire.
    public let rawValue: UInt8

    /// Keeps any value, also an unknown one.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// LE 1M.
    public static let le1M = Self(rawValue: 0x01)
    /// LE 2M.
    public static let le2M = Self(rawValue: 0x02)
    /// LE Coded.
    public static let coded = Self(rawValue: 0x04)

    /// `1M+2M`
    public var description: String {
        let names = [(Self.le1M, "1M"), (.le2M, "2M"), (.coded, "coded")].filter { contains($0.0) }.map(\.1)
        return names.isEmpty ? "none" : names.joined(separator: "+")
    }
}

/// The preferred coding on LE Coded.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.49 (PHY_Options)
public enum LEPHYCoding: UInt16, Hashable, Sendable, CustomStringConvertible {
    /// No preference.
    case any = 0x0000
    /// S=2: 500 kbit/s.
    case s2 = 0x0001
    /// S=8: 125 kbit/s.
    case s8 = 0x0002

    /// `any`, `S=2`, `S=8`
    public var description: String {
        switch self {
        case .any: "any"
        case .s2: "S=2"
        case .s8: "S=8"
        }
    }
}
