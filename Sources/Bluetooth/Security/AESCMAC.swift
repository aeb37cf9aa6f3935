// SPDX-License-Identifier: MIT

/// The message authentication code of Bluetooth: CMAC over AES-128.
///
/// Spec: Core 5.4, Vol 3, Part H, 2.2.5; RFC 4493
public enum AESCMAC {
    /// The 16 octets of the code, most significant first; `nil` unless the key has 16 octets.
    public static func code(of message: [UInt8], key: [UInt8]) -> [UInt8]? {
        guard let cipher = AES128(key: key) else { return nil }
        let zero = [UInt8](repeating: 0, count: 16)
        let firstSubkey = doubled(cipher.encrypt(zero))

        // An empty message has one block, of padding only.
        let blockCount = max(1, (message.count + 15) / 16)
        let lastStart = (blockCount - 1) * 16
        var last = Array(message[lastStart...])
        if last.count == 16 {
            // There are two subkeys because a whole last block and a padded one may have the same octets.
            last = AES128.xor(last, firstSubkey)
        } else {
            last.append(0x80)
            last += [UInt8](repeating: 0, count: 16 - last.count)
            last = AES128.xor(last, doubled(firstSubkey))
        }

        var chain = zero
        for start in stride(from: 0, to: lastStart, by: 16) {
            chain = cipher.encrypt(AES128.xor(chain, Array(message[start..<start + 16])))
        }
        return cipher.encrypt(AES128.xor(chain, last))
    }

    /// Multiplication by x in GF(2¹²⁸).
    private static func doubled(_ block: [UInt8]) -> [UInt8] {
        var result = block
        var carry: UInt8 = 0
        for index in block.indices.reversed() {
            result[index] = block[index] << 1 | carry
            carry = block[index] >> 7
        }
        // In this field x¹²⁸ is x⁷ + x² + x + 1.
        if carry != 0 { result[result.count - 1] ^= 0x87 }
        return result
    }
}
