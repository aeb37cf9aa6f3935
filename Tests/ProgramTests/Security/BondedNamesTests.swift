// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Testing

@testable import Toolkit

@Suite("The names of bonded devices")
struct BondedNamesTests {
    private static let lock = DeviceAddress(BluetoothAddress(rawValue: 0xC411_2233_4455), .random)
    private static let stranger = DeviceAddress(BluetoothAddress(rawValue: 0xC466_7788_99AA), .random)

    private static func bond(_ name: String?, _ device: DeviceAddress = lock) -> Bond {
        Bond(
            adapter: BluetoothAddress(rawValue: 0x0011_2233_4455),
            device: device,
            name: name,
            longTermKeys: [],
            since: WallTime(nanosecondsSince1970: 0)
        )
    }

    @Test func `a stranger with the name of a bonded device is reported, and the device itself is not`() {
        let names = BondedNames([Self.bond("Vault")])
        #expect(names.bond(withNameOf: Self.stranger, "Vault")?.device == Self.lock)
        #expect(names.bond(withNameOf: Self.lock, "Vault") == nil)
        #expect(names.bond(withNameOf: Self.stranger, "Other") == nil)
        #expect(names.bond(withNameOf: Self.stranger, nil) == nil)
    }

    @Test func `names are compared as on the command line`() {
        let names = BondedNames([Self.bond("Vault")])
        #expect(names.bond(withNameOf: Self.stranger, "VAULT") != nil)
    }

    @Test func `the type of the address distinguishes devices, and that of a resolved address does not`() {
        let names = BondedNames([Self.bond("Vault")])
        let other = DeviceAddress(Self.lock.address, .public)
        #expect(names.bond(withNameOf: other, "Vault") != nil)
        let resolved = DeviceAddress(Self.lock.address, .randomIdentity)
        #expect(names.bond(withNameOf: resolved, "Vault") == nil)
    }

    @Test func `several bonded devices of one name are all known by it`() {
        let second = DeviceAddress(BluetoothAddress(rawValue: 0xC411_2233_4466), .random)
        let names = BondedNames([Self.bond("Vault"), Self.bond("vault", second)])
        #expect(names.bond(withNameOf: Self.lock, "Vault") == nil)
        #expect(names.bond(withNameOf: second, "Vault") == nil)
        #expect(names.bond(withNameOf: Self.stranger, "Vault")?.device == Self.lock)
    }

    @Test func `a bond without a name protects no name`() {
        #expect(BondedNames([Self.bond(nil)]).bond(withNameOf: Self.stranger, "Vault") == nil)
        #expect(BondedNames().bond(withNameOf: Self.stranger, "Vault") == nil)
    }
}
