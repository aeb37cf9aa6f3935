// SPDX-License-Identifier: MIT

/// The controller's number for a connection: 0x000…0xEFF.
///
/// Spec: Core 5.4, Vol 4, Part E, 5.3
public struct ConnectionHandle: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The number on the wire.
    public let rawValue: UInt16

    /// Keeps any value, also an unknown one.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// `0x0040`
    public var description: String { "0x" + Hex.string(rawValue, minimumDigits: 4) }
}

extension ConnectionHandle: ExpressibleByIntegerLiteral {
    /// A handle as a literal.
    public init(integerLiteral value: UInt16) { rawValue = value }
}

extension ConnectionHandle: WireDecodable, WireEncodable {
    public init(from reader: inout ByteReader) throws(DecodeError) {
        rawValue = try reader.uint16("connection handle")
    }

    public func encode(into writer: inout ByteWriter) { writer.uint16(rawValue) }
}
