// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Testing

@testable import BlectlKit

/// A cache with the database of one device.
private struct OneDatabase: DatabaseStore {
    let device: DeviceAddress

    func load(_ device: DeviceAddress) -> StoredDatabase? {
        guard device == self.device else { return nil }
        var database = DiscoveredDatabase()
        let service = GATTService(uuid: 0x180F, range: HandleRange(1, 6), isPrimary: true)
        database.learn(.services([service]), from: .services(isPrimary: true, .all))
        let level = GATTCharacteristic(declaration: 2, valueHandle: 3, properties: .read, uuid: 0x2A19, end: 4)
        let own = GATTCharacteristic(
            declaration: 5,
            valueHandle: 6,
            properties: .read,
            uuid: BluetoothUUID(bits128: 0xB1EC_0101_5EC7_4C3A_9D0E_51A1_B1EC_0001),
            end: 6
        )
        database.learn(.characteristics([level, own]), from: .characteristics(.all))
        database.learn(
            .attributes([AttributeType(handle: 4, uuid: 0x2902)]),
            from: .attributes(HandleRange(4, 4))
        )
        return StoredDatabase(hash: [UInt8](repeating: 1, count: 16), database: database)
    }

    func save(_ stored: StoredDatabase, of device: DeviceAddress) async {}
}

@Suite("Words that depend on the machine")
struct CompletionOffersTests {
    private static let strap = DeviceAddress(BluetoothAddress(rawValue: 0xC84B_1D3A_905E), .random)
    private static let nameless = DeviceAddress(BluetoothAddress(rawValue: 0xC000_0000_0011), .random)
    private static let hostile = DeviceAddress(BluetoothAddress(rawValue: 0xC000_0000_0012), .random)

    private func offers(_ text: String, of device: String? = nil) throws -> [String] {
        let offers = CompletionOffers(
            devices: [
                .init(address: Self.strap, name: "Pulse HR"), .init(address: Self.nameless, name: nil),
                .init(address: Self.hostile, name: "\u{1B}[2J\nx"),
            ],
            databases: OneDatabase(device: Self.strap)
        )
        let request = try #require(CompletionRequest(text, device: device))
        return offers.text(for: request).split(separator: "\n").map(String.init)
    }

    @Test func `devices are offered by name, and by address without one`() throws {
        #expect(
            try offers("devices:") == [
                "Pulse HR\tC8:4B:1D:3A:90:5E", "C0:00:00:00:00:11\tno name", "C0:00:00:00:00:12\tno name",
            ]
        )
        #expect(try offers("devices:pulse ") == ["Pulse HR\tC8:4B:1D:3A:90:5E"])
        #expect(try offers("devices:c8:4b") == ["C8:4B:1D:3A:90:5E\tPulse HR"])
        #expect(try offers("devices:x").isEmpty)
    }

    @Test func `only attributes of the device are offered, if they are known`() throws {
        let own = "b1ec0101-5ec7-4c3a-9d0e-51a1b1ec0001"
        #expect(try offers("targets:", of: "pulse hr") == [own, "battery-level"].sorted())
        #expect(
            try offers("targets:battery/", of: "C84B1D3A905E") == ["battery/\(own)", "battery/battery-level"].sorted()
        )
        #expect(
            try offers("targets:battery-level/", of: "Pulse HR") == [
                "battery-level/client-characteristic-configuration"
            ]
        )
        #expect(
            try offers("targets:battery/battery-level/c", of: "Pulse HR")
                == ["battery/battery-level/client-characteristic-configuration"]
        )
    }

    @Test func `the device of a session has the cached attributes of its public address`() throws {
        let device = DeviceAddress(BluetoothAddress(rawValue: 0x7081_940D_FBAA), .public)
        let offers = CompletionOffers(
            devices: [
                // As a session knows it: the name of its socket has no address type.
                .init(address: DeviceAddress(device.address, .random), name: "uart"),
                .init(address: device, name: "UART Echo"),
            ],
            databases: OneDatabase(device: device)
        )
        for name in ["uart", "UART Echo", "70:81:94:0D:FB:AA"] {
            let request = try #require(CompletionRequest("targets:battery/", device: name))
            let words = offers.text(for: request).split(separator: "\n")
            #expect(words == ["battery/b1ec0101-5ec7-4c3a-9d0e-51a1b1ec0001", "battery/battery-level"], "\(name)")
        }
    }

    @Test func `otherwise the offers come from the specification of the service`() throws {
        let battery = try offers("targets:battery/", of: "Unknown")
        #expect(battery.contains("battery/battery-level") && battery.count < 20)
        #expect(battery.allSatisfy { $0.hasPrefix("battery/battery-") || $0.hasPrefix("battery/estimated-") })
        #expect(try offers("targets:heart-rate/body") == ["heart-rate/body-sensor-location"])
        #expect(try offers("targets:0xFFF0/").count > 500)
        #expect(try offers("targets:").count > 500)
        #expect(try offers("targets:battery-level/c").contains("battery-level/cccd"))
        #expect(try offers("targets:a/b/c/").isEmpty)
        #expect(try offers("targets:nonsense/").isEmpty)
    }

    @Test(arguments: ["", "devices", "other:", ":"])
    func `a different question gets no offers`(_ text: String) {
        #expect(CompletionRequest(text) == nil)
    }

    @Test func `every offered target is valid`() throws {
        for prefix in [
            "", "battery/", "heart-rate/", "environmental-sensing/", "battery-level/", "battery/battery-level/",
        ] {
            for word in try offers("targets:\(prefix)") {
                #expect(throws: Never.self, "\(word)") { try AttributeTarget(word) }
            }
        }
    }
}
