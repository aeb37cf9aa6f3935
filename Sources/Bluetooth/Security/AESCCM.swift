// SPDX-License-Identifier: MIT

/// Authenticated encryption by AES-128 in CCM: counter mode with a code that proves the key and the message.
///
/// Spec: RFC 3610; Core 5.4, Vol 6, Part E, 1; Core Specification Supplement 11, Part A, 1.23
package enum AESCCM {
    /// The lengths of codes that RFC 3610 allows.
    private static let codeLengths: Set<Int> = [4, 6, 8, 10, 12, 14, 16]

    /// The encrypted message and its code; `nil` if a length is not allowed.
    ///
    /// - Parameters:
    ///   - message: The octets to be encrypted.
    ///   - associated: Octets that the code covers, but that are not encrypted.
    ///   - nonce: 7 to 13 octets that are different for each message of a key.
    ///   - key: 16 octets.
    package static func seal(
        _ message: [UInt8],
        associated: [UInt8] = [],
        nonce: [UInt8],
        key: [UInt8],
        codeLength: Int = 4
    ) -> (octets: [UInt8], code: [UInt8])? {
        guard let run = Run(nonce: nonce, key: key, codeLength), run.allows(message, associated) else { return nil }
        return (run.crypt(message), run.code(of: message, associated))
    }

    /// The decrypted message; `nil` if the code does not fit, or if a length is not allowed.
    package static func open(
        _ octets: [UInt8],
        code: [UInt8],
        associated: [UInt8] = [],
        nonce: [UInt8],
        key: [UInt8]
    ) -> [UInt8]? {
        guard let run = Run(nonce: nonce, key: key, code.count), run.allows(octets, associated) else { return nil }
        let message = run.crypt(octets)
        return run.code(of: message, associated) == code ? message : nil
    }

    /// What all steps for one message share.
    private struct Run {
        private let cipher: AES128
        private let nonce: [UInt8]
        private let codeLength: Int
        /// The number of octets of the message's length: what the nonce leaves of a block.
        private var lengthOctets: Int { 15 - nonce.count }

        init?(nonce: [UInt8], key: [UInt8], _ codeLength: Int) {
            guard let cipher = AES128(key: key), (7...13).contains(nonce.count), codeLengths.contains(codeLength)
            else { return nil }
            self.cipher = cipher
            self.nonce = nonce
            self.codeLength = codeLength
        }

        /// Whether the lengths can be written. Longer associated octets have a longer header, which nothing needs.
        func allows(_ message: [UInt8], _ associated: [UInt8]) -> Bool {
            (lengthOctets > 2 || message.count <= 0xFFFF) && associated.count < 0xFF00
        }

        /// The message, encrypted or decrypted. Counter 0 is for the code.
        func crypt(_ message: [UInt8]) -> [UInt8] {
            AESCounterMode.apply(cipher, to: message, from: counterBlock(1))
        }

        func code(of message: [UInt8], _ associated: [UInt8]) -> [UInt8] {
            var flags = UInt8(truncatingIfNeeded: lengthOctets - 1 + (codeLength - 2) / 2 * 8)
            if !associated.isEmpty { flags |= 0x40 }
            var chain = cipher.encrypt([flags] + nonce + bigEndian(message.count, octets: lengthOctets))
            let header = associated.isEmpty ? [] : bigEndian(associated.count, octets: 2) + associated
            for part in [header, message] {
                for start in stride(from: 0, to: part.count, by: 16) {
                    var block = Array(part[start..<min(start + 16, part.count)])
                    block += [UInt8](repeating: 0, count: 16 - block.count)
                    chain = cipher.encrypt(AES128.xor(chain, block))
                }
            }
            let whole = AES128.xor(chain, cipher.encrypt(counterBlock(0)))
            return Array(whole.prefix(codeLength))
        }

        private func counterBlock(_ counter: Int) -> [UInt8] {
            [UInt8(truncatingIfNeeded: lengthOctets - 1)] + nonce + bigEndian(counter, octets: lengthOctets)
        }

        private func bigEndian(_ number: Int, octets: Int) -> [UInt8] {
            (0..<octets).reversed().map { UInt8(truncatingIfNeeded: UInt64(number) >> (8 * UInt64($0))) }
        }
    }
}
