// SPDX-License-Identifier: MIT

/// Encryption of octets of any number by AES-128 in counter mode: each block of the message is combined with the
/// encrypted value of a counter, so that decryption is the same as encryption.
///
/// Spec: NIST SP 800-38A, 6.5; RFC 3610, 2.3
package enum AESCounterMode {
    /// The end of a counter block at which the counter is incremented.
    package enum Increment: Hashable, Sendable {
        /// The counter is a number whose most significant octet comes first: CCM, NIST SP 800-38A.
        case lastOctet
        /// The counter is a number whose least significant octet comes first: Victron.
        case firstOctet
    }

    /// The message, encrypted or decrypted; `nil` unless the key and the first counter block have 16 octets.
    package static func apply(
        _ key: [UInt8],
        to message: [UInt8],
        from firstBlock: [UInt8],
        _ increment: Increment = .lastOctet
    ) -> [UInt8]? {
        guard let cipher = AES128(key: key), firstBlock.count == 16 else { return nil }
        return apply(cipher, to: message, from: firstBlock, increment)
    }

    /// The message, encrypted or decrypted. The first counter block has 16 octets.
    static func apply(
        _ cipher: AES128,
        to message: [UInt8],
        from firstBlock: [UInt8],
        _ increment: Increment = .lastOctet
    ) -> [UInt8] {
        var block = firstBlock
        var result: [UInt8] = []
        result.reserveCapacity(message.count)
        for start in stride(from: 0, to: message.count, by: 16) {
            let part = Array(message[start..<min(start + 16, message.count)])
            // The last key block may be longer than the rest of the message, which decides the length.
            result += AES128.xor(part, cipher.encrypt(block))
            advance(&block, increment)
        }
        return result
    }

    /// Adds one to the counter, which wraps around.
    private static func advance(_ block: inout [UInt8], _ increment: Increment) {
        let places = increment == .lastOctet ? Array(block.indices.reversed()) : Array(block.indices)
        for place in places {
            block[place] &+= 1
            // Only an octet that has become zero carries into the next one.
            guard block[place] == 0 else { return }
        }
    }
}
