// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Testing

@testable import Captures
@testable import Toolkit

/// The names of private devices, as the pairings of a capture tell them.
@Suite("CapturedIdentities")
struct CapturedIdentitiesTests {
    /// The sample of Core 5.4, Vol 3, Part H, D.7: a key, and an address that it has made.
    private static let key = "9b7d390aa6101034 05adc857a33402ec"
    private static let privateAddress = DeviceAddress(BluetoothAddress(rawValue: 0x7081_940D_FBAA), .random)
    private static let identity = DeviceAddress(BluetoothAddress(rawValue: 0x1122_3344_5566), .public)

    private static func link(_ address: String = "aafb0d948170") -> String {
        "< 04 3e 13 01 00 4000 00 01 \(address) 1800 0000 2a00 00"
    }
    private static let end = "< 04 05 04 00 4000 13"
    private static let read = "> 02 4000 0700 0300 0400 0a1200"
    /// Identity Information and Identity Address Information.
    private static let pairing = [
        "< 02 4020 1500 1100 0600 08 \(key)", "< 02 4020 0c00 0800 0600 09 00 665544332211",
    ]

    private static func devices(_ lines: [String], _ identities: CapturedIdentities) -> [CapturedEvent] {
        var gatt = CapturedGATT()
        gatt.identities = identities
        return ToldCapture(lines).events.map { event in
            var event = event
            gatt.add(&event)
            return event
        }
    }

    @Test("the link of the pairing keeps its address, and the links after it have the identity")
    func afterwards() {
        let lines = [Self.link()] + Self.pairing + [Self.read, Self.end, Self.link(), Self.read, Self.end]
        let events = Self.devices(lines, CapturedIdentities())
        #expect(Set(events.prefix(5).map(\.device)) == [Self.privateAddress])
        #expect(Set(events.suffix(3).map(\.device)) == [Self.identity])
        #expect(Set(events.suffix(3).map(\.privateAddress)) == [Self.privateAddress.address])
    }

    @Test("what an earlier reading has learned holds from the beginning, also for other addresses of the key")
    func earlierReading() throws {
        var gatt = CapturedGATT()
        for var event in ToldCapture([Self.link()] + Self.pairing).events { gatt.add(&event) }
        var identities = gatt.identities
        #expect(identities.identity(of: Self.privateAddress) == Self.identity)
        let key = try #require(SecurityKey(octets: Hex.bytes("ec0234a357c8ad05341010a60a397d9b") ?? []))
        let other = DeviceIdentity(address: Self.identity, key: key).privateAddress(random: 0x1234)
        #expect(identities.identity(of: other) == Self.identity)
        let stranger = DeviceAddress(BluetoothAddress(rawValue: 0x7081_940D_FBAB), .random)
        #expect(identities.identity(of: stranger) == nil)
        let events = Self.devices([Self.link()] + Self.pairing + [Self.read], identities)
        #expect(Set(events.map(\.device)) == [Self.identity])
    }

    @Test("a cut key, an identity without a key, and a thousand pairings are endured")
    func hostile() {
        var gatt = CapturedGATT()
        let cut = "< 02 4020 0900 0500 0600 08 01020304"
        for var event in ToldCapture([Self.link(), cut, Self.pairing[1]]).events { gatt.add(&event) }
        #expect(gatt.identities.identity(of: Self.privateAddress) == Self.identity)
        for number in 0..<1_000 {
            let address = Hex.string([UInt8(number & 0xFF), UInt8(number >> 8), 1, 2, 3, 0x44])
            let lines = [Self.link(address)] + Self.pairing + [Self.end]
            for var event in ToldCapture(lines).events { gatt.add(&event) }
        }
        #expect(gatt.identities.identity(of: Self.privateAddress) == Self.identity)
    }
}
