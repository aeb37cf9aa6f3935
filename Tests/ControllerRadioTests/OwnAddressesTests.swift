// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@testable import ControllerRadio

@Suite("Own addresses")
struct OwnAddressesTests {
    private static let random = BluetoothAddress(rawValue: 0xC0_00_00_00_00_07)
    private static let other = BluetoothAddress(rawValue: 0xC0_00_00_00_00_08)
    private static let (first, second) = (LEAdvertisingHandle(rawValue: 1), LEAdvertisingHandle(rawValue: 2))

    private func extended(_ set: LEAdvertisingHandle, _ type: LEOwnAddressType) -> HCICommandPacket {
        LESetExtendedAdvertisingParameters(
            set: set,
            properties: [.connectable],
            minimumInterval: LEInterval(rawValue: 160),
            maximumInterval: LEInterval(rawValue: 160),
            ownAddressType: type
        ).packet
    }

    @Test func `a public address is that of all links, until a program advertises with another one`() {
        var addresses = OwnAddresses(.typical(), random: Self.random)
        let own = DeviceAddress(BluetoothAddress(rawValue: 1), .public)
        #expect(addresses.ofCentral == own && addresses.ofPeripheral == own)
        addresses.sent(LESetRandomAddress(Self.other).packet)
        addresses.sent(
            LESetAdvertisingParameters(
                minimumInterval: LEInterval(rawValue: 160),
                maximumInterval: LEInterval(rawValue: 160),
                ownAddressType: .random
            ).packet
        )
        #expect(addresses.ofCentral == own && addresses.ofPeripheral == DeviceAddress(Self.other, .random))
    }

    @Test func `a controller without one has the random address`() {
        var facts = ControllerFacts.typical()
        facts.publicAddress = BluetoothAddress(rawValue: 0)
        let addresses = OwnAddresses(facts, random: Self.random)
        let own = DeviceAddress(Self.random, .random)
        #expect(addresses.ofCentral == own && addresses.ofPeripheral == own)
    }

    @Test func `each advertising set has its own`() {
        var addresses = OwnAddresses(.typical(), random: Self.random)
        let own = addresses.ofCentral
        addresses.sent(extended(Self.first, .random))
        addresses.sent(LESetAdvertisingSetRandomAddress(Self.first, Self.random).packet)
        #expect(addresses.ofPeripheral == DeviceAddress(Self.random, .random))
        addresses.sent(extended(Self.second, .public))
        #expect(addresses.of(Self.first) == DeviceAddress(Self.random, .random) && addresses.of(Self.second) == own)
        addresses.sent(LERemoveAdvertisingSet(Self.first).packet)
        #expect(addresses.ofPeripheral == own)
        addresses.sent(HCICommandPacket(LESetRandomAddress.opcode, parameters: [1]))
        #expect(addresses.ofCentral == own)
    }
}
