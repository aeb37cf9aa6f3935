// SPDX-License-Identifier: MIT

/// Hexadecimal text. It is converted by table because every line of output and of a trace contains some.
public enum Hex {
    private static let lowerDigits: StaticString = "0123456789abcdef"
    private static let upperDigits: StaticString = "0123456789ABCDEF"

    /// Two lower-case digits an octet, without separator: `0a1b`.
    public static func string(_ bytes: some Collection<UInt8>) -> String {
        // Through the storage, because a generic loop over a long value calls two functions for each octet.
        bytes.withContiguousStorageIfAvailable(string(storage:))
            ?? Array(bytes).withUnsafeBufferPointer(string(storage:))
    }

    private static func string(storage bytes: UnsafeBufferPointer<UInt8>) -> String {
        String(unsafeUninitializedCapacity: bytes.count * 2) { buffer in
            lowerDigits.withUTF8Buffer { digits in
                for (index, byte) in bytes.enumerated() {
                    buffer[2 * index] = digits[Int(byte >> 4)]
                    buffer[2 * index + 1] = digits[Int(byte & 0x0F)]
                }
                return bytes.count * 2
            }
        }
    }

    /// Upper-case digits of a number, most significant first, padded with zeros: `0018`.
    public static func string(_ value: some BinaryInteger, minimumDigits: Int) -> String {
        // Nearly all numbers fit into 64 bits. The others take the slow conversion of the standard library.
        guard value >= 0, let number = UInt64(exactly: value), minimumDigits <= 16 else {
            let digits = String(value, radix: 16, uppercase: true)
            return String(repeating: "0", count: Swift.max(0, minimumDigits - digits.utf8.count)) + digits
        }
        let count = Swift.max(1, minimumDigits, (UInt64.bitWidth - number.leadingZeroBitCount + 3) / 4)
        return String(unsafeUninitializedCapacity: count) { buffer in
            upperDigits.withUTF8Buffer { digits in
                for position in 0..<count {
                    buffer[position] =
                        digits[Int(truncatingIfNeeded: number >> UInt64(4 * (count - 1 - position)) & 0x0F)]
                }
            }
            return count
        }
    }

    /// Two upper-case digits an octet of a number, most significant first, with colons between them.
    static func string(_ value: UInt64, octets: Int) -> String {
        // The separator after the last octet is written, and left out by the count.
        String(unsafeUninitializedCapacity: octets * 3) { buffer in
            upperDigits.withUTF8Buffer { digits in
                for index in 0..<octets {
                    let octet = Int(truncatingIfNeeded: value >> UInt64(8 * (octets - 1 - index)) & 0xFF)
                    buffer[3 * index] = digits[octet >> 4]
                    buffer[3 * index + 1] = digits[octet & 0x0F]
                    buffer[3 * index + 2] = UInt8(ascii: ":")
                }
            }
            return octets * 3 - 1
        }
    }

    /// Decodes an even number of hex digits of either case; `nil` for any other text.
    public static func bytes(_ text: some StringProtocol) -> [UInt8]? { bytes(digits: Array(text.utf8)) }

    static func bytes(digits: [UInt8]) -> [UInt8]? {
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = nibble(digits[index]), let low = nibble(digits[index + 1]) else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static func nibble(_ character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
