// SPDX-License-Identifier: MIT

/// AES with a 128-bit key. It only encrypts single blocks, because nothing here needs more.
///
/// The implementation is table-driven and not hardened against timing by another process on the same machine, because
/// no radio peer can time it closely enough to learn a key.
///
/// Spec: FIPS 197; Core 5.4, Vol 3, Part H, 2.2.1
struct AES128: Sendable {
    private static let sbox = makeSubstitutionBox()
    private let roundKeys: [[UInt8]]

    /// Expands the key; `nil` unless it has 16 octets.
    init?(key: [UInt8]) {
        guard key.count == 16 else { return nil }
        var words = stride(from: 0, to: 16, by: 4).map { Array(key[$0..<$0 + 4]) }
        var constant: UInt8 = 1
        // 44 words of four octets make the 11 round keys.
        for index in 4..<44 {
            var word = words[index - 1]
            if index.isMultiple(of: 4) {
                word = [word[1], word[2], word[3], word[0]].map { Self.sbox[Int($0)] }
                word[0] ^= constant
                constant = Self.double(constant)
            }
            words.append(zip(words[index - 4], word).map { $0 ^ $1 })
        }
        roundKeys = stride(from: 0, to: 44, by: 4).map { Array(words[$0..<$0 + 4].joined()) }
    }

    /// Encrypts one block of 16 octets, most significant octet first.
    func encrypt(_ block: [UInt8]) -> [UInt8] {
        precondition(block.count == 16, "AES encrypts blocks of 16 octets")
        var state = Self.xor(block, roundKeys[0])
        for round in 1..<10 {
            state = Self.xor(Self.mixColumns(Self.substituteAndShift(state)), roundKeys[round])
        }
        return Self.xor(Self.substituteAndShift(state), roundKeys[10])
    }

    /// The exclusive or of two blocks, octet by octet.
    static func xor(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] {
        zip(left, right).map { $0 ^ $1 }
    }

    private static func substituteAndShift(_ state: [UInt8]) -> [UInt8] {
        // The state is stored by columns: row r is shifted by r columns, which are 4·r octets.
        (0..<16).map { sbox[Int(state[($0 + 4 * ($0 % 4)) % 16])] }
    }

    private static func mixColumns(_ state: [UInt8]) -> [UInt8] {
        var mixed = state
        for column in stride(from: 0, to: 16, by: 4) {
            let all = state[column] ^ state[column + 1] ^ state[column + 2] ^ state[column + 3]
            for row in 0..<4 {
                let pair = state[column + row] ^ state[column + (row + 1) % 4]
                mixed[column + row] = state[column + row] ^ all ^ double(pair)
            }
        }
        return mixed
    }

    /// Multiplication by x in GF(2⁸).
    private static func double(_ value: UInt8) -> UInt8 {
        // In this field x⁸ is x⁴ + x³ + x + 1.
        value << 1 ^ (value & 0x80 == 0 ? 0 : 0x1B)
    }

    /// The S-box from its definition: the inverse in GF(2⁸), then an affine map. The loop steps through the field by
    /// the generator 3 and through the inverses at the same time.
    private static func makeSubstitutionBox() -> [UInt8] {
        var box = [UInt8](repeating: 0x63, count: 256)
        var element: UInt8 = 1
        var inverse: UInt8 = 1
        repeat {
            element ^= double(element)
            inverse ^= inverse << 1
            inverse ^= inverse << 2
            inverse ^= inverse << 4
            if inverse & 0x80 != 0 { inverse ^= 0x09 }
            let rotations = (1...4).map { inverse << UInt8($0) | inverse >> UInt8(8 - $0) }
            box[Int(element)] = rotations.reduce(inverse ^ 0x63, ^)
        } while element != 1
        return box
    }
}
