// SPDX-License-Identifier: MIT

/// A UUID of 16, 32 or 128 bits.
///
/// A short form abbreviates `xxxxxxxx-0000-1000-8000-00805f9b34fb`. Equality and hashing compare the 128-bit value, so
/// a UUID equals itself in every width; the width is kept for encoding. ATT knows 16 and 128 bits only: 32-bit UUIDs
/// are sent as 128 bits.
///
/// Spec: Core 5.4, Vol 3, Part B, 2.5.1
public struct BluetoothUUID: Sendable {
    /// The width in which the UUID was given.
    public enum Width: Int, Sendable {
        /// 16 bits, two octets.
        case bits16 = 16
        /// 32 bits, four octets.
        case bits32 = 32
        /// 128 bits, sixteen octets.
        case bits128 = 128
    }

    /// The Bluetooth Base UUID `00000000-0000-1000-8000-00805f9b34fb`.
    public static let base: UInt128 = 0x0000_0000_0000_1000_8000_0080_5F9B_34FB

    private let words: UInt128Words
    /// The width in which the UUID was given.
    public let width: Width

    /// The whole 128-bit value, most significant octet first as in its text.
    public var value: UInt128 { words.value }

    private static let shortMask: UInt128 = 0xFFFF_FFFF << 96

    /// A 16-bit UUID.
    public init(_ short: UInt16) {
        words = UInt128Words(Self.base | UInt128(short) << 96)
        width = .bits16
    }

    /// A 32-bit UUID.
    public init(bits32 short: UInt32) {
        words = UInt128Words(Self.base | UInt128(short) << 96)
        width = .bits32
    }

    /// A 128-bit UUID.
    public init(bits128 value: UInt128) {
        words = UInt128Words(value)
        width = .bits128
    }

    /// The 16-bit form; `nil` if the value has none. The width does not matter.
    public var short16: UInt16? {
        guard let short = short32 else { return nil }
        return UInt16(exactly: short)
    }

    /// The 32-bit form; `nil` if the value has none. The width does not matter.
    public var short32: UInt32? {
        guard value & ~Self.shortMask == Self.base else { return nil }
        return UInt32(truncatingIfNeeded: value >> 96)
    }

    /// The same UUID in the shortest form that ATT can carry: 16 bits where possible, 128 otherwise.
    ///
    /// Spec: Core 5.4, Vol 3, Part F, 3.2.1
    public var attForm: BluetoothUUID {
        if let short = short16 { return BluetoothUUID(short) }
        return BluetoothUUID(bits128: value)
    }
}

extension BluetoothUUID: Hashable {
    public static func == (left: Self, right: Self) -> Bool { left.value == right.value }

    public func hash(into hasher: inout Hasher) { hasher.combine(value) }
}

extension BluetoothUUID: CustomStringConvertible {
    /// `0x180D`, `0x0001FEAA`, or `6e400001-b5a3-f393-e0a9-e50e24dcca9e`.
    public var description: String {
        if let short = short16 { return "0x" + Hex.string(short, minimumDigits: 4) }
        if let short = short32 { return "0x" + Hex.string(short, minimumDigits: 8) }
        return fullText
    }

    /// The 128-bit form in lower case with hyphens, also for shorter UUIDs.
    public var fullText: String {
        var bytes: [UInt8] = []
        for shift in stride(from: 120, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: value >> UInt128(shift)))
        }
        let groups = [0..<4, 4..<6, 6..<8, 8..<10, 10..<16]
        return groups.map { Hex.string(bytes[$0]) }.joined(separator: "-")
    }

    /// Parses four or eight hex digits, with or without `0x`, or the 128-bit form with or without hyphens, all also in
    /// braces, as Windows writes them; `nil` for any other text.
    public init?(_ text: some StringProtocol) {
        // By octets, because a device file has hundreds of names, which are no UUIDs.
        var digits = Array(text.utf8)
        if digits.first == UInt8(ascii: "{"), digits.last == UInt8(ascii: "}") {
            digits.removeLast()
            digits.removeFirst()
        }
        if digits.count == 36 {
            for place in [23, 18, 13, 8] {
                guard digits.remove(at: place) == UInt8(ascii: "-") else { return nil }
            }
        } else if digits.starts(with: "0x".utf8) || digits.starts(with: "0X".utf8) {
            digits.removeFirst(2)
        }
        guard let bytes = Hex.bytes(digits: digits) else { return nil }
        let number = bytes.reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
        switch bytes.count {
        case 2: self.init(UInt16(truncatingIfNeeded: number))
        case 4: self.init(bits32: UInt32(truncatingIfNeeded: number))
        case 16: self.init(bits128: number)
        default: return nil
        }
    }
}

extension BluetoothUUID: ExpressibleByIntegerLiteral {
    /// A 16-bit UUID as a literal: `0x180D`.
    public init(integerLiteral value: UInt16) { self.init(value) }
}

extension BluetoothUUID: WireEncodable {
    /// The number of octets that `encode` writes.
    public var encodedLength: Int { width.rawValue / 8 }

    /// Writes the UUID in its own width.
    public func encode(into writer: inout ByteWriter) {
        switch width {
        case .bits16: writer.uint16(UInt16(truncatingIfNeeded: value >> 96))
        case .bits32: writer.uint32(UInt32(truncatingIfNeeded: value >> 96))
        case .bits128: writer.uint128(value)
        }
    }

    /// Reads a UUID of the given width.
    public init(_ width: Width, from reader: inout ByteReader, _ field: String) throws(DecodeError) {
        switch width {
        case .bits16: self.init(try reader.uint16(field))
        case .bits32: self.init(bits32: try reader.uint32(field))
        case .bits128: self.init(bits128: try reader.uint128(field))
        }
    }

    /// Decodes a UUID from all remaining octets: two or sixteen, as in ATT.
    ///
    /// Spec: Core 5.4, Vol 3, Part F, 3.2.1
    public init(restOf reader: inout ByteReader, _ field: String) throws(DecodeError) {
        switch reader.remaining {
        case 2: self.init(try reader.uint16(field))
        case 16: self.init(bits128: try reader.uint128(field))
        default:
            throw DecodeError(field, .inconsistent("a UUID has 2 or 16 octets, not \(reader.remaining)"))
        }
    }
}
