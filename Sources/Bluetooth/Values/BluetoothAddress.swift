// SPDX-License-Identifier: MIT

/// A 48-bit device address (BD_ADDR), without its type.
///
/// Spec: Core 5.4, Vol 6, Part B, 1.3
public struct BluetoothAddress: Hashable, Sendable, Comparable {
    /// The address as a number: the first octet of its text is the most significant one.
    public let rawValue: UInt64

    /// Keeps the low 48 bits of `rawValue`.
    public init(rawValue: UInt64) {
        self.rawValue = rawValue & 0xFFFF_FFFF_FFFF
    }

    /// Parses `F0:F1:F2:F3:F4:F5` in either case; `-` is accepted as separator as well. `nil` for any other text.
    public init?(_ text: some StringProtocol) {
        let characters = Array(text.utf8)
        guard characters.count == 17 else { return nil }
        let separator = characters[2]
        guard separator == UInt8(ascii: ":") || separator == UInt8(ascii: "-") else { return nil }
        var digits: [UInt8] = []
        for (index, character) in characters.enumerated() {
            if index % 3 == 2 {
                guard character == separator else { return nil }
            } else {
                digits.append(character)
            }
        }
        guard let bytes = Hex.bytes(String(decoding: digits, as: UTF8.self)) else { return nil }
        self.init(rawValue: bytes.reduce(0) { $0 << 8 | UInt64($1) })
    }

    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

extension BluetoothAddress: CustomStringConvertible {
    /// `F0:F1:F2:F3:F4:F5`
    public var description: String {
        Hex.string(rawValue, octets: 6)
    }
}

extension BluetoothAddress: WireDecodable, WireEncodable {
    public init(from reader: inout ByteReader) throws(DecodeError) {
        self.init(rawValue: try reader.uint48("address"))
    }

    public func encode(into writer: inout ByteWriter) { writer.uint48(rawValue) }
}
