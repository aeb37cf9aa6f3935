// SPDX-License-Identifier: MIT

import Testing

@testable import Bluetooth

/// A message and its code. All vectors use the same key.
private struct CodeVector: Sendable, CustomTestStringConvertible {
    let name: String
    let message: String
    let code: String
    var testDescription: String { name }
}

private let key = "2b7e151628aed2a6abf7158809cf4f3c"
private let text = """
    6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51\
    30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710
    """

/// Core 5.4, Vol 3, Part H, D.1 and RFC 4493, 4, contain the same four vectors.
private let vectors = [
    CodeVector(name: "no octet", message: "", code: "bb1d6929e95937287fa37d129b756746"),
    CodeVector(name: "16 octets", message: String(text.prefix(32)), code: "070a16b46b4d4144f79bdd9dd04a287c"),
    CodeVector(name: "40 octets", message: String(text.prefix(80)), code: "dfa66747de9ae63030ca32611497c827"),
    CodeVector(name: "64 octets", message: text, code: "51f0bebf7e3b9d92fc49741779363cfe"),
]

@Suite("AES-CMAC (RFC 4493)")
struct AESCMACTests {
    @Test("AES-128 encrypts the block of FIPS 197, C.1")
    func encryptsTheBlockOfTheStandard() throws {
        let cipher = try #require(AES128(key: Array(0..<16)))
        let block = octets("00112233445566778899aabbccddeeff")
        #expect(Hex.string(cipher.encrypt(block)) == "69c4e0d86a7b0430d8cdb78070b4c55a")
    }

    @Test("the code of each message is the standard's", arguments: vectors)
    private func computesTheCode(vector: CodeVector) throws {
        let message = octets(vector.message)
        let secret = octets(key)
        let code = try #require(AESCMAC.code(of: message, key: secret))
        #expect(Hex.string(code) == vector.code)
    }

    @Test("a key of another length than 16 octets gives no code", arguments: [0, 15, 17, 32])
    func refusesOtherKeys(length: Int) {
        #expect(AESCMAC.code(of: [1], key: [UInt8](repeating: 0, count: length)) == nil)
    }
}
