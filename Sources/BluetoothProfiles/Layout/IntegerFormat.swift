// SPDX-License-Identifier: MIT

import Bluetooth

/// The integer types of characteristics.
enum IntegerFormat: Hashable, Sendable {
    case u8, u16, u24, u32, u48, u64
    case s8, s16, s24, s32, s48, s64
    /// With the most significant octet first: only private characteristics have such.
    case u16be, u24be, u32be, s16be, s24be, s32be
    /// Two octets, the second of which may be missing at the end of the value.
    case u8or16

    /// The size on the wire.
    var octets: Int {
        switch self {
        case .u8, .s8: 1
        case .u16, .s16, .u16be, .s16be, .u8or16: 2
        case .u24, .s24, .u24be, .s24be: 3
        case .u32, .s32, .u32be, .s32be: 4
        case .u48, .s48: 6
        case .u64, .s64: 8
        }
    }

    /// The smallest size on the wire.
    var lowestOctets: Int { self == .u8or16 ? 1 : octets }

    private var isBigEndian: Bool {
        switch self {
        case .u16be, .u24be, .u32be, .s16be, .s24be, .s32be: true
        default: false
        }
    }

    var range: ClosedRange<Int128> {
        // With 128 bits, because no integer of 64 bits holds the limits of both u64 and s64.
        let bits = Int128(8 * octets)
        switch self {
        case .u8, .u16, .u24, .u32, .u48, .u64, .u8or16, .u16be, .u24be, .u32be: return 0...(1 << bits) - 1
        case .s8, .s16, .s24, .s32, .s48, .s64, .s16be, .s24be, .s32be:
            return -(1 << (bits - 1))...(1 << (bits - 1)) - 1
        }
    }

    /// Decodes the next integer, as the bits on the wire.
    func bits(_ reader: inout ByteReader, _ field: String) throws(DecodeError) -> UInt64 {
        switch self {
        case .u8, .s8: UInt64(try reader.uint8(field))
        case .u16, .s16: UInt64(try reader.uint16(field))
        case .u24, .s24: UInt64(try reader.uint24(field))
        case .u32, .s32: UInt64(try reader.uint32(field))
        case .u48, .s48: try reader.uint48(field)
        case .u64, .s64: try reader.uint64(field)
        case .u16be, .s16be: UInt64(try reader.uint16(field).byteSwapped)
        // The integer has 32 bits, so that swapping leaves the three octets in the upper ones.
        case .u24be, .s24be: UInt64(try reader.uint24(field).byteSwapped >> 8)
        case .u32be, .s32be: UInt64(try reader.uint32(field).byteSwapped)
        case .u8or16: UInt64(reader.remaining == 1 ? UInt16(try reader.uint8(field)) : try reader.uint16(field))
        }
    }

    /// The integer that the bits on the wire mean.
    func integer(of bits: UInt64) -> Int128 {
        let value = Int128(bits)
        return value > range.upperBound ? value - (1 << Int128(8 * octets)) : value
    }

    /// The number that the bits on the wire mean.
    func value(of bits: UInt64) -> DecimalNumber {
        switch self {
        case .u8, .u16, .u24, .u32, .u48, .u64, .u8or16, .u16be, .u24be, .u32be: DecimalNumber(bits)
        case .s8: DecimalNumber(Int8(truncatingIfNeeded: bits))
        case .s16, .s16be: DecimalNumber(Int16(truncatingIfNeeded: bits))
        // Shifted up and down again, so that the sign bit fills the upper bits.
        case .s24, .s24be: DecimalNumber(Int32(truncatingIfNeeded: bits << 8) >> 8)
        case .s32, .s32be: DecimalNumber(Int32(truncatingIfNeeded: bits))
        case .s48: DecimalNumber(Int64(truncatingIfNeeded: bits << 16) >> 16)
        case .s64: DecimalNumber(Int64(truncatingIfNeeded: bits))
        }
    }

    /// The bits on the wire of a number in `range`.
    func bits(of value: Int128) -> UInt64 {
        UInt64(truncatingIfNeeded: value) & UInt64(lowBits: 8 * octets)
    }

    /// Appends the low octets of an integer.
    func write(_ bits: UInt64, to writer: inout ByteWriter) {
        for index in 0..<octets {
            let octet = isBigEndian ? octets - 1 - index : index
            writer.uint8(UInt8(truncatingIfNeeded: bits >> UInt64(8 * octet)))
        }
    }
}
