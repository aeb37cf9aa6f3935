// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

/// The integer types of characteristics.
enum IntegerFormat: Sendable {
    case u8, u16, u24, u32, u48, u64
    case s8, s16, s24, s32

    /// Decodes the next integer. Returns it as a number, and as the bits on the wire, because special values are
    /// defined by bits.
    func read(_ reader: inout ByteReader, _ field: String) throws(DecodeError) -> (value: DecimalNumber, bits: UInt64) {
        let bits: UInt64 =
            switch self {
            case .u8, .s8: UInt64(try reader.uint8(field))
            case .u16, .s16: UInt64(try reader.uint16(field))
            case .u24, .s24: UInt64(try reader.uint24(field))
            case .u32, .s32: UInt64(try reader.uint32(field))
            case .u48: try reader.uint48(field)
            case .u64: try reader.uint64(field)
            }
        let value: DecimalNumber =
            switch self {
            case .u8, .u16, .u24, .u32, .u48, .u64: DecimalNumber(bits)
            case .s8: DecimalNumber(Int8(truncatingIfNeeded: bits))
            case .s16: DecimalNumber(Int16(truncatingIfNeeded: bits))
            case .s24: DecimalNumber(Int32(truncatingIfNeeded: bits << 8) >> 8)
            case .s32: DecimalNumber(Int32(truncatingIfNeeded: bits))
            }
        return (value, bits)
    }
}
