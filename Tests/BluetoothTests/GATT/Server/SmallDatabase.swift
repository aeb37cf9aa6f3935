// SPDX-License-Identifier: MIT

@testable import Bluetooth

/// A small database whose attributes the tests below name by handle.
enum Small {
    private static let name = Array("abcdefgh".utf8)

    static func database() throws -> GATTDatabase {
        try GATTDatabase(services: [
            ServiceDefinition(
                0x1800,
                characteristics: [
                    CharacteristicDefinition(0x2A00, [.read, .write], value: .variable(name)),  // 0x0003
                    CharacteristicDefinition(0x2A01, .read, value: .fixed([1, 2])),  // 0x0005
                ]
            ),
            ServiceDefinition(
                0x180F,
                characteristics: [
                    CharacteristicDefinition(0x2A19, [.read, .notify], value: .application),  // 0x0008, 0x0009
                    CharacteristicDefinition(
                        0x2A39,
                        [.write, .writeWithoutResponse],
                        value: .handler(maximumLength: 4)
                    ),
                    CharacteristicDefinition(0x2A01, .read, value: .fixed([3, 4])),  // 0x000D
                    CharacteristicDefinition(0x2A01, .read, value: .fixed([5])),  // 0x000F
                    CharacteristicDefinition(0x2A02, [.read, .write], value: .fixedLength([0, 0, 0, 0])),  // 0x0011
                ]
            ),
        ])
    }

    /// A database in which some values may be written together. Their handles are those of the other database.
    static func reliableDatabase(_ properties: CharacteristicExtendedProperties = .reliableWrite) throws -> GATTDatabase
    {
        func characteristic(
            _ uuid: BluetoothUUID,
            at declaration: Handle,
            _ value: GATTAttribute.Storage
        ) -> CharacteristicDefinition {
            var definition = CharacteristicDefinition(uuid, [.read, .write], value: value)
            definition.extendedProperties = properties
            definition.properties.insert(.extendedProperties)
            definition.handle = declaration
            return definition
        }
        return try GATTDatabase(services: [
            ServiceDefinition(0x1800, characteristics: [characteristic(0x2A00, at: 0x0002, .variable(name))]),
            ServiceDefinition(
                0x180F,
                characteristics: [
                    characteristic(0x2A39, at: 0x000A, .handler(maximumLength: 4)),
                    characteristic(0x2A02, at: 0x0010, .fixedLength([0, 0, 0, 0])),
                ]
            ),
        ])
    }

    static func bench() throws -> ServerBench {
        var bench = ServerBench(try database())
        bench.values[0x0008] = .success([87])
        return bench
    }
}
