// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@testable import BluetoothDevices

@Suite("Built-in devices")
struct BuiltInDeviceTests {
    /// Those of the world, and those for one purpose.
    private static let all = BuiltInDevice.all + BuiltInDevice.apart

    private static func definition(_ label: String) throws -> DeviceDefinition {
        try #require(BuiltInDevice.named(label)).definition()
    }

    @Test(arguments: Self.all.map(\.label))
    func `every file is read, and names its device`(_ label: String) throws {
        let device = try #require(BuiltInDevice.named(label))
        let definition = try device.definition()
        #expect(definition.label == label)
        // With all checks.
        #expect(try DeviceFile.read(Array(device.text.utf8), named: "file.json") == definition)
        #expect(!definition.summary.isEmpty)
        #expect(definition.hasStandardServices || definition.services.contains { $0.uuid == .genericAccess })
        _ = try definition.image()
    }

    @Test(arguments: Self.all.map(\.label))
    func `every device is written as a file, and read back equal`(_ label: String) throws {
        let definition = try Self.definition(label)
        let text = DeviceFile.text(of: definition)
        #expect(try DeviceFile.read(Array(text.utf8), named: "written.json") == definition)
    }

    @Test func `labels and addresses are unique`() throws {
        #expect(Set(Self.all.map(\.label)).count == Self.all.count)
        let addresses = try Self.all.map { try $0.definition().address }
        #expect(Set(addresses).count == addresses.count)
        #expect(BuiltInDevice.named("nobody") == nil)
    }

    @Test(arguments: Self.all.map(\.label))
    func `devices that require security can be paired; only the workbench refuses on purpose`(_ label: String) throws {
        let definition = try Self.definition(label)
        var requirements: [AccessRequirement] = []
        for characteristic in definition.services.flatMap(\.characteristics) {
            requirements.append(characteristic.subscription)
            if let read = characteristic.permissions?.read { requirements.append(read) }
            if let write = characteristic.permissions?.write { requirements.append(write) }
        }
        let isDemanding = requirements.contains { $0.encryption || $0.authentication || $0.minimumKeySize > 7 }
        #expect(!isDemanding || definition.pairing != nil || label == "workbench")
    }

    /// The octets on the air, which other people's scripts may rely on: the frames, and the scan response.
    @Test(arguments: [
        ("pulse-strap", "02010605030d180f1803194103", "090950756c7365204852020a04"),
        ("thermometer", "020106050309181a1809095468" + "65726d6f2031", "03190103020a00"),
        ("uart-echo", "02010611079ecadc240ee5a9e093f3a3b50100406e", "0a0955415254204563686f"),
        ("workbench", "0201060a09576f726b62656e636806fff105010203", "11070100ecb1a1510e9d3a4cc75e0001ecb1"),
        ("ibeacon", "0201061aff4c000215f7826da64fa24e988024bc5b71e0893e0001002ac5", ""),
        ("eddystone", "0201060303aafe0e16aafe10f6036578616d706c6507", ""),
        ("shapeshifter", "0201060d095368617065736869667465" + "72", "11070100ecb1a1510e9d3a4cc75e0005ecb1"),
        ("museum", "02010607094d757365756d03194005", ""),
        ("sports-watch", "0201060319c1000d0953706f727473205761746368", "1107441cb952067d318a0b4ec4720000fe5a"),
        ("flaky-strap", "0201060909466c616b7920485203194103", ""),
        (
            "hostile", "020106",
            "1e091b5d303b70776e6564071b5b33316d52e280ae640a0978c29bfffec0af"
        ),
        ("sensor-tag", "020106", "0a0953656e736f72546167020a00051250002003"),
    ])
    func `advertising has the expected octets`(_ label: String, _ data: String, _ response: String) throws {
        let set = try #require(Self.definition(label).advertising.first)
        #expect(Hex.string(set.data(.start)) == data)
        #expect(Hex.string(set.response(.start)) == response)
    }

    @Test func `telemetry continues, and the mast broadcasts all its data`() throws {
        let beacon = try #require(Self.definition("eddystone").advertising.first)
        let later = beacon.data(.init(uptime: .seconds(10), event: 7))
        #expect(Hex.string(later) == "0201060303aafe1116aafe20000ba21740" + "0000000700000064")
        let mast = try #require(Self.definition("weather-mast").advertising.first)
        let data = AdvertisingData(parsing: mast.data(.start))
        #expect(mast.data(.start).count == 350)
        #expect(data.name?.text == "Weather Mast North")
        #expect(mast.kind == .extended(sid: 3, isConnectable: false, primaryPHY: .le1M, secondaryPHY: .le2M))
        #expect(mast.txPower == 8)
    }
}
