// SPDX-License-Identifier: MIT

// The code of the article 'Your own device'. `ArticleTests` holds the two equal.

import BluetoothTesting
import Testing

/// The colour of a lamp: three octets.
struct Colour: CharacteristicModel {
    static let characteristic: BluetoothUUID = BluetoothUUID(bits128: 0x9A1C0002_4B6F_4D5E_8A63_2F0D7C51E9B4)
    var red: UInt8
    var green: UInt8
    var blue: UInt8

    init(red: UInt8, green: UInt8, blue: UInt8) { (self.red, self.green, self.blue) = (red, green, blue) }

    init(decoding octets: [UInt8]) throws(DecodeError) {
        var reader = ByteReader(octets)
        red = try reader.uint8("red")
        green = try reader.uint8("green")
        blue = try reader.uint8("blue")
    }

    func encoded() -> [UInt8] { [red, green, blue] }
}

extension CharacteristicKey where Value == Colour {
    static var colour: Self { Self(Colour.self) }
}

/// Makes a lamp red, and returns the colour that it had.
func redden(_ lamp: Peripheral) async throws(BluetoothError) -> Colour {
    let before = try await lamp.read(.colour)
    try await lamp.write(Colour(red: 255, green: 0, blue: 0), to: .colour)
    return before
}

/// Makes the lamp of an address red; nothing for a text that is no address.
func redden(_ text: String, _ central: Central) async throws {
    guard let address = BluetoothAddress(text) else { return }
    try await central.withPeripheral(DeviceAddress(address, .random)) { lamp in
        _ = try await redden(lamp)
    }
}

@Suite("Your own device")
struct YourOwnDeviceTests {
    private static func colouredLamp() throws -> DeviceDefinition {
        try DeviceDefinition("coloured-lamp", name: "Lamp") {
            DeviceAdvertising(name: "Lamp", services: [0xFF10])
            try DeviceService(0xFF10) {
                try DeviceCharacteristic(Colour(red: 0, green: 0, blue: 64), [.read, .write, .notify])
            }
        }
    }

    @Test("a type of one's own is read and written by its key", .simulated { try colouredLamp() })
    func colour() async throws {
        let simulation = try Simulation.current
        #expect(try await redden(simulation.peripheral) == Colour(red: 0, green: 0, blue: 64))
        #expect(try await simulation.peripheral.read(.colour).red == 255)
    }

    @Test("an address in text reaches the device", .simulated { try colouredLamp() })
    func address() async throws {
        let simulation = try Simulation.current
        try await redden("\(simulation.device.address.address)", simulation.central)
        #expect(try simulation.device.requests(of: Colour.characteristic).last?.written == [255, 0, 0])
    }

    @Test("services, characteristics and descriptors have their UUIDs", .simulated { try colouredLamp() })
    func uuids() async throws {
        let peripheral = try Simulation.current.peripheral
        let services = try await peripheral.services()
        #expect(services.map(\.uuid) == [0x1800, 0x1801, 0xFF10])
        let characteristic = try #require(try await services.last?.characteristics().first)
        #expect(characteristic.uuid == Colour.characteristic)
        #expect(try await characteristic.descriptors().map(\.uuid) == [0x2902])
    }
}
