// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@testable import ControllerRadio

/// The sample data of the specification. Core 5.4, Vol 2, Part G, 7.1.2
@Suite("P-256 (Vol 3, Part H, 2.3.5.6.1)")
struct P256Tests {
    private static func octets(_ hex: String) -> [UInt8] { Hex.bytes(hex) ?? [] }

    static let privateA = octets("3f49f6d4a3c55f3874c9b3e3d2103f504aff607beb40b7995899b8a6cd3c1abd")
    static let privateB = octets("55188b3d32f6bb9a900afcfbeed4e72a59cb9ac2f19d7cfb6b4fdd49f47fc5fd")
    static let publicA = (
        x: octets("20b003d2f297be2c5e2c83a7e9f9a5b9eff49111acf4fddbcc0301480e359de6"),
        y: octets("dc809c49652aeb6d63329abf5a52155c766345c28fed3024741c8ed01589d28b")
    )
    static let publicB = (
        x: octets("1ea1f0f01faf1d9609592284f19e4c0047b58afd8615a69f559077b22faaa190"),
        y: octets("4c55f33e429dad377356703a9ab85160472d1130e28e36765f89aff915b1214a")
    )
    static let shared = octets("ec0234a357c8ad05341010a60a397d9b99796b13b4f866f1868d34f373bfa698")

    private func key(_ point: (x: [UInt8], y: [UInt8])) -> P256PublicKey? {
        guard let x = P256Number(octets: point.x), let y = P256Number(octets: point.y) else { return nil }
        return P256PublicKey(x: x, y: y)
    }

    @Test("A private key gives the public one, and both sides the same secret")
    func sampleData() throws {
        let a = try #require(P256PrivateKey(octets: Self.privateA))
        let b = try #require(P256PrivateKey(octets: Self.privateB))
        #expect(a.publicKey.x.octets == Self.publicA.x && a.publicKey.y.octets == Self.publicA.y)
        #expect(b.publicKey.x.octets == Self.publicB.x && b.publicKey.y.octets == Self.publicB.y)
        #expect(a.sharedKey(with: b.publicKey)?.octets == Self.shared)
        #expect(b.sharedKey(with: a.publicKey)?.octets == Self.shared)
    }

    @Test("A point that is not on the curve is no key, nor are coordinates beyond the prime")
    func invalidPoints() {
        #expect(key(Self.publicA) != nil)
        #expect(key((Self.publicA.x, Self.publicB.y)) == nil)
        #expect(key((Self.publicA.x, [UInt8](repeating: 0, count: 32))) == nil)
        #expect(key(([UInt8](repeating: 0, count: 32), [UInt8](repeating: 0, count: 32))) == nil)
        #expect(key(([UInt8](repeating: 0xFF, count: 32), Self.publicA.y)) == nil)
    }

    @Test("Zero, and numbers that are not below the order, are no private keys")
    func invalidPrivateKeys() {
        let order = Self.octets("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551")
        #expect(P256PrivateKey(octets: [UInt8](repeating: 0, count: 32)) == nil)
        #expect(P256PrivateKey(octets: order) == nil)
        #expect(P256PrivateKey(octets: [1]) == nil)
        // The last one is the negative of the base point.
        var last = order
        last[31] -= 1
        let one = P256PrivateKey(octets: [UInt8](repeating: 0, count: 31) + [1])
        #expect(one != nil && P256PrivateKey(octets: last)?.publicKey.x == one?.publicKey.x)
    }

    @Test("Sums, differences and products wrap at the prime, and an inverse undoes a product")
    func field() throws {
        let prime = Self.octets("ffffffff00000001000000000000000000000000ffffffffffffffffffffffff")
        #expect(P256Field(octets: prime) == nil)
        var largest = prime
        largest[31] -= 1
        let last = try #require(P256Field(octets: largest))
        #expect(last + .one == .zero && .zero - .one == last && last * last == .one)
        let number = try #require(P256Field(octets: Self.privateA))
        #expect(number * number.inverse == .one && number.octets == Self.privateA)
        #expect(P256Field.zero.inverse == .zero)
    }
}
