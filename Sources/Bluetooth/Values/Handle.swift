// SPDX-License-Identifier: MIT

/// An attribute handle. 0x0000 is reserved and never names an attribute.
///
/// Spec: Core 5.4, Vol 3, Part F, 3.2.2
public struct Handle: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number on the wire.
    public let rawValue: UInt16

    /// Keeps any value; a received handle may be 0x0000.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Keeps any value; a received handle may be 0x0000.
    public init(_ rawValue: UInt16) { self.rawValue = rawValue }

    /// 0x0000, which no attribute has. Error responses use it if they refer to no attribute.
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

/// A range of handles that includes both ends.
public struct HandleRange: Hashable, Sendable, CustomStringConvertible {
    /// The first handle of the range.
    public let start: Handle
    /// The last handle of the range.
    public let end: Handle

    /// Keeps both handles; a received range may be backward (see `isValid`).
    public init(_ start: Handle, _ end: Handle) {
        self.start = start
        self.end = end
    }

    /// 0x0001 to 0xFFFF.
    public static let all = HandleRange(.first, .last)

    /// Whether the range begins above 0x0000 and does not end before its start.
    public var isValid: Bool { start != .invalid && start <= end }

    /// Whether the handle lies in the range.
    public func contains(_ handle: Handle) -> Bool { start <= handle && handle <= end }

    /// The smallest range that contains both.
    func joined(with other: HandleRange) -> HandleRange {
        HandleRange(min(start, other.start), max(end, other.end))
    }

    /// `0x0001…0xFFFF`
    public var description: String { "\(start)…\(end)" }
}
