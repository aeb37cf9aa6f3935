// SPDX-License-Identifier: MIT

/// A secret of 128 bits: a long-term key, an identity resolving key, a signature key, or a random number of a pairing.
///
/// Its description is `(hidden)`, also in a dump and inside other values, so that no text contains a key by accident.
///
/// Spec: Core 5.4, Vol 3, Part H, 2.4.1
public struct SecurityKey: Hashable, Sendable {
    /// The key as a number.
    public var value: UInt128 { words.value }
    private let words: UInt128Words

    /// Creates a key from a number.
    public init(_ value: UInt128) { words = UInt128Words(value) }

    /// Creates a key from its octets, most significant first, as the specification prints keys; `nil` unless there are
    /// 16.
    public init?(octets: [UInt8]) {
        guard octets.count == 16 else { return nil }
        self.init(octets.reduce(0) { $0 << 8 | UInt128($1) })
    }

    /// The octets, most significant first.
    public var octets: [UInt8] { encoded().reversed() }

    /// Zero: no key.
    public static let zero = Self(0)
}

extension SecurityKey: WireDecodable, WireEncodable {
    public init(from reader: inout ByteReader) throws(DecodeError) { self.init(try reader.uint128("key")) }

    public func encode(into writer: inout ByteWriter) { writer.uint128(value) }
}

extension SecurityKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// `(hidden)`
    public var description: String { "(hidden)" }

    /// `(hidden)`
    public var debugDescription: String { description }

    /// No parts.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
