// SPDX-License-Identifier: MIT

import BluetoothDevices
import Testing

@testable import Bluetooth

@Suite("Resolvable private addresses (Vol 6, Part B, 1.3.2)")
struct IdentityResolverTests {
    private func device(_ text: String, _ type: AddressType) throws -> DeviceAddress {
        DeviceAddress(try #require(BluetoothAddress(text)), type)
    }

    private func identities() throws -> [DeviceIdentity] {
        [
            DeviceIdentity(address: try device("00:1B:DC:07:32:EF", .public), key: SecurityKey(0x1234_5678)),
            DeviceIdentity(
                address: try device("C4:11:22:33:44:55", .random),
                key: SecurityKey(0xEC02_34A3_57C8_AD05_3410_10A6_0A39_7D9B)
            ),
        ]
    }

    @Test("The address of the sample data belongs to the device with its key, and to no other")
    func sample() throws {
        var resolver = IdentityResolver(try identities())
        let address = try device("70:81:94:0D:FB:AA", .random)
        #expect(resolver.identity(of: address)?.address == (try device("C4:11:22:33:44:55", .random)))
        #expect(resolver.identity(of: try device("70:81:94:0D:FB:AB", .random)) == nil)
        // A public address of the same octets is not a private address.
        #expect(resolver.identity(of: try device("70:81:94:0D:FB:AA", .public)) == nil)
        #expect(resolver.rememberedCount == 2)
    }

    @Test("Each private address that a device makes is its own")
    func made() throws {
        let all = try identities()
        var resolver = IdentityResolver(all)
        var generator = SeededGenerator(seed: 15)
        for _ in 0..<200 {
            let random = UInt32.random(in: .min ... .max, using: &generator)
            for identity in all {
                let address = identity.privateAddress(random: random)
                #expect(address.kind == .resolvable)
                #expect(resolver.identity(of: address) == identity)
                #expect(resolver.identity(of: address) == identity, "remembered")
            }
        }
    }

    @Test("The random part of a private address is neither all zeros nor all ones (Vol 6, Part B, 1.3.2.2)")
    func randomPart() throws {
        for identity in try identities() {
            for (random, prand) in [(0, 0x40_0001), (1, 0x40_0001), (.max, 0x7F_FFFE)] as [(UInt32, UInt64)] {
                let address = identity.privateAddress(random: random)
                #expect(address.address.rawValue >> 24 == prand)
                #expect(identity.owns(address))
            }
        }
    }

    @Test("A key of zeros resolves nothing")
    func zero() throws {
        let identity = DeviceIdentity(address: try device("00:1B:DC:07:32:EF", .public), key: .zero)
        #expect(!identity.owns(identity.privateAddress(random: 7)))
    }

    @Test("A flood of addresses does not fill the memory, and none is resolved wrongly")
    func bounded() throws {
        let all = try identities()
        var resolver = IdentityResolver(all, limit: 8)
        for random in 0..<100 as Range<UInt32> {
            let address = all[Int(random % 2)].privateAddress(random: random)
            #expect(resolver.identity(of: address) == all[Int(random % 2)])
            #expect(resolver.rememberedCount <= 8)
        }
    }
}
