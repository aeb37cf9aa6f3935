// SPDX-License-Identifier: MIT

/// The checksum of zips. Spec: PKWARE, APPNOTE.TXT 6.3.10, 4.4.7
enum CRC32 {
    /// The polynomial, with the bits in the order in which they are sent.
    private static let polynomial: UInt32 = 0xEDB8_8320

    /// What each octet changes.
    private static let table: [UInt32] = (0..<256).map { octet in
        (0..<8).reduce(UInt32(octet)) { rest, _ in rest & 1 == 0 ? rest >> 1 : rest >> 1 ^ polynomial }
    }

    /// The checksum of octets.
    static func checksum(_ octets: [UInt8]) -> UInt32 {
        ~octets.reduce(~UInt32(0)) { checksum, octet in
            checksum >> 8 ^ table[Int(UInt8(truncatingIfNeeded: checksum) ^ octet)]
        }
    }
}
