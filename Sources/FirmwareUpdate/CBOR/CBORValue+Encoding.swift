// SPDX-License-Identifier: MIT

package import Bluetooth

extension CBORValue: WireEncodable {
    /// Appends the item in its one deterministic form: the shortest numbers, definite lengths, and keys in the order of their
    /// octets. Spec: RFC 8949, 4.2.1
    package func encode(into writer: inout ByteWriter) {
        switch self {
        case .unsigned(let number): writer.head(0, number)
        case .negative(let number): writer.head(1, number)
        case .octets(let octets):
            writer.head(2, UInt64(octets.count))
            writer.append(octets)
        case .text(let text):
            writer.head(3, UInt64(text.utf8.count))
            writer.append(text.utf8)
        case .array(let elements):
            writer.head(4, UInt64(elements.count))
            for element in elements { writer.append(element) }
        case .map(let map): writer.append(map)
        case .tagged(let tag, let item):
            writer.head(6, tag)
            writer.append(item)
        case .bool(let flag): writer.head(7, flag ? 21 : 20)
        case .null: writer.head(7, 22)
        case .undefined: writer.head(7, 23)
        case .simple(let value): writer.head(7, UInt64(value))
        case .float(let number): writer.float(number)
        }
    }
}

extension CBORMap: WireEncodable {
    package func encode(into writer: inout ByteWriter) {
        writer.head(5, UInt64(count))
        let sorted = items.map { (key: $0.key.encoded(), value: $0.value) }
            .sorted { $0.key.lexicographicallyPrecedes($1.key) }
        for (key, value) in sorted {
            writer.append(key)
            writer.append(value)
        }
    }
}

extension ByteWriter {
    /// The first octet of an item of a major type with its number, in as few octets as possible.
    fileprivate mutating func head(_ major: UInt8, _ argument: UInt64) {
        let type = major << 5
        switch argument {
        case ..<24: uint8(type | UInt8(argument))
        case ...0xFF:
            uint8(type | 24)
            uint8(UInt8(argument))
        case ...0xFFFF:
            uint8(type | 25)
            uint16BigEndian(UInt16(argument))
        case ...0xFFFF_FFFF:
            uint8(type | 26)
            uint32BigEndian(UInt32(argument))
        default:
            uint8(type | 27)
            uint64(argument.byteSwapped)
        }
    }

    /// A number with a fraction, in the shortest form that keeps its value.
    fileprivate mutating func float(_ number: Double) {
        if let half = number.half {
            uint8(0xF9)
            uint16BigEndian(half)
        } else if let single = Float(exactly: number) {
            uint8(0xFA)
            uint32BigEndian(single.bitPattern)
        } else {
            uint8(0xFB)
            uint64(number.bitPattern.byteSwapped)
        }
    }
}

extension Double {
    /// The number in 16 bits; `nil` if they cannot hold it. All NaNs are one.
    fileprivate var half: UInt16? {
        if isNaN { return 0x7E00 }
        let sign: UInt16 = self.sign == .minus ? 0x8000 : 0
        if isInfinite { return sign | 0x7C00 }
        if isZero { return sign }
        // The numbers below 2⁻¹⁴ are multiples of 2⁻²⁴.
        let isSubnormal = exponent < -14
        let fraction = isSubnormal ? magnitude * 0x1p24 : (significand - 1) * 1_024
        guard exponent <= 15, fraction == fraction.rounded() else { return nil }
        return sign | (isSubnormal ? 0 : UInt16(exponent + 15) << 10) | UInt16(fraction)
    }
}
