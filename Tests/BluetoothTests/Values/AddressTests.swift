// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import Testing

@Suite("Device addresses (Vol 6, Part B, 1.3)")
struct BluetoothAddressTests {
    private let address = BluetoothAddress(rawValue: 0xF0F1_F2F3_F4F5)

    @Test("text is read with either separator and case, and written in one form")
    func text() {
        #expect("\(address)" == "F0:F1:F2:F3:F4:F5")
        #expect(BluetoothAddress("F0:F1:F2:F3:F4:F5") == address)
        #expect(BluetoothAddress("f0-f1-f2-f3-f4-f5") == address)
        #expect("\(BluetoothAddress(rawValue: 0))" == "00:00:00:00:00:00")
        #expect("\(BluetoothAddress(rawValue: .max))" == "FF:FF:FF:FF:FF:FF")
    }

    @Test(
        "anything else is refused",
        arguments: [
            "", "F0:F1:F2:F3:F4", "F0:F1:F2:F3:F4:F5:F6", "F0F1F2F3F4F5", "F0:F1:F2:F3:F4-F5", "F0:F1:F2:F3:F4:G5",
            "F0.F1.F2.F3.F4.F5", " F0:F1:F2:F3:F4:F5", "F0:F1:F2:F3:F4:F5 ", "F0:F1:F2:F3:F4:5", "F0:F1:F2:F3:F4:F",
            "::::::::::::::::::", "F0:F1:F2:F3:F4:é",
        ]
    )
    func refused(_ text: String) {
        #expect(BluetoothAddress(text) == nil)
    }

    @Test("on the wire the last octet of the text goes first")
    func wire() {
        expectWire(address, "f5f4f3f2f1f0")
    }

    @Test("addresses are ordered as their text")
    func order() {
        #expect(BluetoothAddress(rawValue: 1) < address)
        #expect(!(address < address))
    }

    @Test("numbers beyond 48 bits do not fit")
    func masked() {
        #expect(BluetoothAddress(rawValue: 0xABCD_F0F1_F2F3_F4F5) == address)
    }

    @Test("random addresses survive formatting and parsing")
    func roundTrip() {
        var generator = SeededGenerator(seed: 0x4144_4452)
        for _ in 0..<2_000 {
            let address = BluetoothAddress(rawValue: UInt64.random(in: 0..<1 << 48, using: &generator))
            #expect(BluetoothAddress("\(address)") == address)
            #expect((try? BluetoothAddress(decoding: address.encoded())) == address)
        }
    }
}

@Suite("Kinds of addresses (Vol 6, Part B, 1.3.2)")
struct DeviceAddressTests {
    @Test("the two highest bits of a random address determine its kind")
    func kinds() {
        let vectors: [(UInt64, AddressType, AddressKind)] = [
            (0xC000_0000_0000, .random, .randomStatic),
            (0xFFFF_FFFF_FFFF, .random, .randomStatic),
            (0x4000_0000_0000, .random, .resolvable),
            (0x7FFF_FFFF_FFFF, .random, .resolvable),
            (0x0000_0000_0000, .random, .nonResolvable),
            (0x3FFF_FFFF_FFFF, .random, .nonResolvable),
            (0x8000_0000_0000, .random, .reserved),
            (0xBFFF_FFFF_FFFF, .random, .reserved),
            (0xC000_0000_0000, .randomIdentity, .randomStatic),
            (0x4000_0000_0000, .public, .public),
            (0xC000_0000_0000, .publicIdentity, .public),
            (0x0000_0000_0000, .anonymous, .anonymous),
            (0xC000_0000_0000, AddressType(rawValue: 0x42), .reserved),
        ]
        for (number, type, kind) in vectors {
            let device = DeviceAddress(BluetoothAddress(rawValue: number), type)
            #expect(device.kind == kind, "\(device)")
        }
    }

    @Test("the same octets with another type are another device")
    func identity() {
        let address = BluetoothAddress(rawValue: 7)
        #expect(DeviceAddress(address, .public) != DeviceAddress(address, .random))
        #expect("\(DeviceAddress(address, .random))" == "00:00:00:00:00:07 (random)")
    }

    @Test("types have names, which are parsed again")
    func types() {
        let names = ["public", "random", "public-identity", "random-identity", "anonymous"]
        let types: [AddressType] = [.public, .random, .publicIdentity, .randomIdentity, .anonymous]
        #expect(types.map(\.description) == names)
        #expect(names.map { AddressType(name: $0) } == types)
        #expect(AddressType(rawValue: 0x42).description == "unknown (0x42)")
        #expect(AddressType(name: "unknown (0x42)") == nil)
        #expect(AddressType(name: "Public") == nil)
    }

    @Test("connections have only public and random addresses")
    func connectionTypes() {
        #expect(AddressType.public.connectionType == .public)
        #expect(AddressType.random.connectionType == .random)
        #expect(AddressType.publicIdentity.connectionType == .public)
        #expect(AddressType.randomIdentity.connectionType == .random)
    }
}
