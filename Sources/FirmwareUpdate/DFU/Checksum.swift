// SPDX-License-Identifier: MIT

/// The checksums of Nordic's boot loaders.
package enum Checksum {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
    }

    /// The CRC-32 of octets, or of those that follow others whose sum is given. Spec: ISO-HDLC
    package static func crc32(_ octets: some Sequence<UInt8>, following sum: UInt32 = 0) -> UInt32 {
        ~octets.reduce(~sum) { value, octet in value >> 8 ^ table[Int(UInt8(truncatingIfNeeded: value) ^ octet)] }
    }

    /// The CRC-16 of octets. Spec: IBM-3740, which Nordic calls CCITT
    package static func crc16(_ octets: some Sequence<UInt8>) -> UInt16 {
        octets.reduce(0xFFFF) { sum, octet in
            var sum = sum.byteSwapped ^ UInt16(octet)
            sum ^= (sum & 0xFF) >> 4
            sum ^= sum << 12
            return sum ^ (sum & 0xFF) << 5
        }
    }
}
