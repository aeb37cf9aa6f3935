// SPDX-License-Identifier: MIT

import Testing

@testable import Bluetooth

/// A message, sealed.
private struct SealedVector: Sendable, CustomTestStringConvertible {
    let name: String
    let key: String
    let nonce: String
    let associated: String
    let message: String
    let octets: String
    let code: String
    var testDescription: String { name }
}

private let vectors = [
    SealedVector(
        name: "RFC 3610, packet vector 1",
        key: "c0c1c2c3c4c5c6c7c8c9cacbcccdcecf",
        nonce: "00000003020100a0a1a2a3a4a5",
        associated: "0001020304050607",
        message: "08090a0b0c0d0e0f101112131415161718191a1b1c1d1e",
        octets: "588c979a61c663d2f066d0c2c0f989806d5f6b61dac384",
        code: "17e8d12cfdf926e0"
    ),
    SealedVector(
        name: "RFC 3610, packet vector 2: whole blocks",
        key: "c0c1c2c3c4c5c6c7c8c9cacbcccdcecf",
        nonce: "00000004030201a0a1a2a3a4a5",
        associated: "0001020304050607",
        message: "08090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
        octets: "72c91a36e135f8cf291ca894085c87e3cc15c439c9e43a3b",
        code: "a091d56e10400916"
    ),
    SealedVector(
        name: "RFC 3610, packet vector 7: a code of 10 octets",
        key: "c0c1c2c3c4c5c6c7c8c9cacbcccdcecf",
        nonce: "00000009080706a0a1a2a3a4a5",
        associated: "0001020304050607",
        message: "08090a0b0c0d0e0f101112131415161718191a1b1c1d1e",
        octets: "0135d1b2c95f41d5d1d4fec185d166b8094e999dfed96c",
        code: "048c56602c97acbb7490"
    ),
    SealedVector(
        name: "NIST SP 800-38C, example 1: a short nonce",
        key: "404142434445464748494a4b4c4d4e4f",
        nonce: "10111213141516",
        associated: "0001020304050607",
        message: "20212223",
        octets: "7162015b",
        code: "4dac255d"
    ),
    SealedVector(
        name: "Core 5.4, Vol 6, Part C, 1.1: LL_START_ENC_RSP of the central",
        key: "99ad1b5226a37e3e058e3b8e27c2c666",
        nonce: "000000008024abdcbabebaafde",
        associated: "03",
        message: "06",
        octets: "9f",
        code: "cda7f448"
    ),
    SealedVector(
        name: "Core Specification Supplement 11, Part A, 2.3.1",
        key: "57a9da12d12e6e131e20612ad10a6a19",
        nonce: "18e157cade9e7a00efb17ae746",
        associated: "ea",
        message: "0f0953686f7274204d696e692d42757303190a8c",
        octets: "74e4dcafdc51c7282810c2217f0e4cef4343181f",
        code: "ba0069cc"
    ),
]

@Suite("AES-CCM (RFC 3610)")
struct AESCCMTests {
    @Test(arguments: vectors)
    private func `a message is sealed and opened as the standard has it`(vector: SealedVector) throws {
        let (key, nonce, associated) = (octets(vector.key), octets(vector.nonce), octets(vector.associated))
        let (message, code) = (octets(vector.message), octets(vector.code))
        let sealed = try #require(
            AESCCM.seal(message, associated: associated, nonce: nonce, key: key, codeLength: code.count)
        )
        #expect(sealed.octets == octets(vector.octets))
        #expect(sealed.code == code)
        let opened = AESCCM.open(sealed.octets, code: code, associated: associated, nonce: nonce, key: key)
        #expect(opened == message)
    }

    @Test func `a code of another key, message, nonce or header opens nothing`() throws {
        let vector = vectors[0]
        let parts = [vector.octets, vector.code, vector.associated, vector.nonce, vector.key].map { octets($0) }
        func open(_ parts: [[UInt8]]) -> [UInt8]? {
            AESCCM.open(parts[0], code: parts[1], associated: parts[2], nonce: parts[3], key: parts[4])
        }
        #expect(open(parts) != nil)
        for index in parts.indices {
            for place in parts[index].indices {
                var changed = parts
                changed[index][place] ^= 1
                #expect(open(changed) == nil, "part \(index), octet \(place)")
            }
        }
    }

    @Test func `an empty message has a code`() throws {
        let sealed = try #require(AESCCM.seal([], nonce: [UInt8](0..<13), key: [UInt8](0..<16)))
        #expect(sealed.octets.isEmpty)
        #expect(AESCCM.open([], code: sealed.code, nonce: [UInt8](0..<13), key: [UInt8](0..<16)) == [])
    }

    @Test(arguments: [(6, 16, 4), (14, 16, 4), (13, 15, 4), (13, 17, 4), (13, 16, 5), (13, 16, 2), (13, 16, 0)])
    func `other lengths than those of the standard are refused`(nonce: Int, key: Int, code: Int) {
        let (nonce, key) = ([UInt8](repeating: 1, count: nonce), [UInt8](repeating: 2, count: key))
        #expect(AESCCM.seal([1], nonce: nonce, key: key, codeLength: code) == nil)
        #expect(AESCCM.open([1], code: [UInt8](repeating: 0, count: code), nonce: nonce, key: key) == nil)
    }

    /// NIST SP 800-38A, F.5.1.
    @Test func `counter mode is that of the standard, in both directions`() throws {
        let key = octets("2b7e151628aed2a6abf7158809cf4f3c")
        let first = octets("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff")
        let plain = octets("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51")
        let sealed = octets("874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff")
        #expect(AESCounterMode.apply(key, to: plain, from: first) == sealed)
        #expect(AESCounterMode.apply(key, to: Array(sealed.prefix(17)), from: first) == Array(plain.prefix(17)))
        #expect(AESCounterMode.apply(key, to: plain, from: Array(first.dropLast())) == nil)
        #expect(AESCounterMode.apply(Array(key.dropLast()), to: plain, from: first) == nil)
    }

    @Test func `a counter carries into the next octet, from either end`() throws {
        let key = [UInt8](0..<16)
        let cipher = try #require(AES128(key: key))
        let zeros = [UInt8](repeating: 0, count: 32)
        let middle = [UInt8](repeating: 7, count: 14)
        let last = AESCounterMode.apply(key, to: zeros, from: middle + [0x01, 0xFF])
        #expect(last == cipher.encrypt(middle + [0x01, 0xFF]) + cipher.encrypt(middle + [0x02, 0x00]))
        let first = AESCounterMode.apply(key, to: zeros, from: [0xFF, 0x01] + middle, .firstOctet)
        #expect(first == cipher.encrypt([0xFF, 0x01] + middle) + cipher.encrypt([0x00, 0x02] + middle))
    }
}
