// SPDX-License-Identifier: GPL-2.0-or-later

/// An attribute handle. 0x0000 is reserved and never names an attribute.
///
/// Spec: Core 5.4, Vol 3, Part F, 3.2.2
public struct Handle: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number on the wire.
    public let rawValue: UInt16

    /// Takes the number as it is; received ones may be 0x0000.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Takes the number as it is.
    public init(_ rawValue: UInt16) { self.rawValue = rawValue }

    /// 0x0000, which no attribute has; error responses use it where no attribute is meant.
    public static let invalid = Handle(0x0000)
    /// The first handle an attribute can have, 0x0001.
    public static let first = Handle(0x0001)
    /// The last handle an attribute can have, 0xFFFF.
    public static let last = Handle(0xFFFF)

    /// The handle after this one; `nil` after 0xFFFF.
    public var next: Handle? { self == .last ? nil : Handle(rawValue + 1) }

    /// The handle before this one; `nil` before 0x0001.
    public var previous: Handle? { rawValue <= 1 ? nil : Handle(rawValue - 1) }

    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// `0x0018`
    public var description: String { "0x" + Hex.string(rawValue, minimumDigits: 4) }
}

extension Handle: ExpressibleByIntegerLiteral {
    /// A handle as a literal.
    public init(integerLiteral value: UInt16) { rawValue = value }
}

extension Handle: WireDecodable, WireEncodable {
    public init(from reader: inout ByteReader) throws(DecodeError) {
        rawValue = try reader.uint16("attribute handle")
    }

    public func encode(into writer: inout ByteWriter) { writer.uint16(rawValue) }
}

/// A range of handles with both ends included: what discovery asks for.
public struct HandleRange: Hashable, Sendable, CustomStringConvertible {
    /// The first handle of the range.
    public let start: Handle
    /// The last handle of the range.
    public let end: Handle

    /// Puts two handles together; received ranges may be backwards (see `isValid`).
    public init(_ start: Handle, _ end: Handle) {
        self.start = start
        self.end = end
    }

    /// 0x0001 to 0xFFFF.
    public static let all = HandleRange(.first, .last)

    /// Whether the range begins above 0x0000 and is not backwards.
    public var isValid: Bool { start != .invalid && start <= end }

    /// Whether the handle lies in the range.
    public func contains(_ handle: Handle) -> Bool { start <= handle && handle <= end }

    /// The least range with both in it.
    func joined(with other: HandleRange) -> HandleRange {
        HandleRange(min(start, other.start), max(end, other.end))
    }

    /// `0x0001…0xFFFF`
    public var description: String { "\(start)…\(end)" }
}
