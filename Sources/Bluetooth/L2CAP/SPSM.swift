// SPDX-License-Identifier: MIT

/// A simplified protocol/service multiplexer: the number of the service that a credit-based channel leads to.
///
/// Spec: Core 5.4, Vol 3, Part A, 4.22
public struct SPSM: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The number on the wire.
    public let rawValue: UInt16

    /// Keeps any value, also an invalid one.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Keeps any value, also an invalid one.
    public init(_ rawValue: UInt16) { self.rawValue = rawValue }

    /// The numbers that the Bluetooth SIG assigns to services.
    public static let fixed: ClosedRange<UInt16> = 0x0001...0x007F
    /// The numbers that a device gives to its own services, usually through GATT.
    public static let dynamic: ClosedRange<UInt16> = 0x0080...0x00FF

    /// 0x0023: the Internet Protocol Support Profile.
    public static let internetProtocolSupport = Self(0x0023)
    /// 0x0025: the Object Transfer Service.
    public static let objectTransfer = Self(0x0025)
    /// 0x0027: the Enhanced ATT bearer.
    public static let enhancedATT = Self(0x0027)

    /// The numbers that have names, with the short names of the assigned numbers.
    public static let named: [(name: String, number: SPSM)] = [
        ("ipsp", .internetProtocolSupport), ("ots", .objectTransfer), ("eatt", .enhancedATT),
    ]

    /// Whether a channel can have the number.
    public var isValid: Bool { Self.fixed.contains(rawValue) || Self.dynamic.contains(rawValue) }

    /// `0x0080`
    public var description: String { "0x" + Hex.string(rawValue, minimumDigits: 4) }
}
