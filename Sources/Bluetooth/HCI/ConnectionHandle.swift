// SPDX-License-Identifier: MIT

/// The controller's number for a connection: 0x000…0xEFF.
///
/// Spec: Core 5.4, Vol 4, Part E, 5.3
package struct ConnectionHandle: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// `0x0040`
    package var description: String { "0x" + Hex.string(rawValue, minimumDigits: 4) }
}

extension ConnectionHandle: ExpressibleByIntegerLiteral {
    package init(integerLiteral value: UInt16) { rawValue = value }
}

extension ConnectionHandle: WireDecodable, WireEncodable {
    package init(from reader: inout ByteReader) throws(DecodeError) {
        rawValue = try reader.uint16("connection handle")
    }

    package func encode(into writer: inout ByteWriter) { writer.uint16(rawValue) }
}
