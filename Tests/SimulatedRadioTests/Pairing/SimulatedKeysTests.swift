// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import Testing

@testable import SimulatedRadio

@Suite("The keys and addresses of simulated devices")
struct SimulatedKeysTests {
    private static let device = DeviceAddress(BluetoothAddress(rawValue: 0xC5EC_0000_0001), .random)
    private static let adapter = BluetoothAddress(rawValue: 0x0200_0000_0001)

    private static func key(_ size: UInt8 = 16, _ kind: LongTermKey.Kind = .authenticatedP256) -> LongTermKey {
        SimulatedKeys.longTermKey(of: device, with: adapter, kind: kind, size: size, isCentral: false)
    }

    @Test func `a device knows its key, and no other`() {
        #expect(SimulatedKeys.isRight(Self.key(), of: Self.device, with: Self.adapter))
        #expect(SimulatedKeys.isRight(Self.key(7, .unauthenticatedLegacy), of: Self.device, with: Self.adapter))
        let other = BluetoothAddress(rawValue: 0x0200_0000_0002)
        #expect(!SimulatedKeys.isRight(Self.key(), of: Self.device, with: other))
        #expect(!SimulatedKeys.isRight(Self.key(), of: DeviceAddress(other, .random), with: Self.adapter))
        var better = Self.key(16, .unauthenticatedP256)
        better.kind = .authenticatedP256
        #expect(!SimulatedKeys.isRight(better, of: Self.device, with: Self.adapter), "a kind that was not agreed on")
        var longer = Self.key(7)
        longer.encryptionSize = 16
        #expect(!SimulatedKeys.isRight(longer, of: Self.device, with: Self.adapter))
        longer.encryptionSize = 200
        #expect(!SimulatedKeys.isRight(longer, of: Self.device, with: Self.adapter))
    }

    @Test func `a short key has that many octets`() {
        for size in 7...16 as ClosedRange<UInt8> {
            let octets = Self.key(size).value.octets
            #expect(octets.prefix(16 - Int(size)).allSatisfy { $0 == 0 })
            #expect(octets.dropFirst(16 - Int(size)).contains { $0 != 0 })
        }
        #expect(Self.key().diversifier == 0 && Self.key().randomNumber == 0)
        #expect(Self.key(16, .authenticatedLegacy).randomNumber != 0)
    }

    @Test func `a private address is resolved with the key, and changes after its time`() {
        let identity = DeviceIdentity(address: Self.device, key: SimulatedKeys.identityKey(of: Self.device))
        var seen: Set<DeviceAddress> = []
        for minute in 0..<60 {
            let elapsed = Duration.seconds(60 * minute)
            let address = SimulatedKeys.privateAddress(of: Self.device, life: .seconds(900), after: elapsed)
            #expect(address.kind == .resolvable && identity.owns(address))
            seen.insert(address)
        }
        #expect(seen.count == 4)
        let stranger = DeviceIdentity(address: Self.device, key: SecurityKey(1))
        #expect(!seen.contains { stranger.owns($0) })
    }
}
