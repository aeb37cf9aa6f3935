// SPDX-License-Identifier: MIT

import Testing

@testable import Bluetooth

@Suite("GATT database (Vol 3, Part G, 2.6 and 3)")
struct GATTDatabaseTests {
    static let services: [ServiceDefinition] = [
        .genericAccess(name: "abc", appearance: 0x0341),
        .genericAttribute(),
        ServiceDefinition(
            0x180D,
            includes: ["battery", "private"],
            characteristics: [
                CharacteristicDefinition(
                    0x2A37,
                    .notify,
                    value: .application,
                    descriptors: [.userDescription("rate")]
                ),
                CharacteristicDefinition(
                    0x2A39,
                    .write,
                    value: .handler(maximumLength: 1),
                    extendedProperties: .reliableWrite
                ),
            ]
        ),
        ServiceDefinition(
            0x180F,
            isPrimary: false,
            label: "battery",
            characteristics: [CharacteristicDefinition(0x2A19, [.read, .notify], value: .fixed([87]))]
        ),
        ServiceDefinition(
            BluetoothUUID(bits128: 0x6E40_0001_B5A3_F393_E0A9_E50E_24DC_CA9E),
            isPrimary: false,
            label: "private",
            handle: 0x0100
        ),
    ]

    private func set(_ value: [UInt8], of handle: Handle, in database: inout GATTDatabase) -> Bool {
        database.setValue(value, of: handle)
    }

    private func lines(_ database: GATTDatabase) -> [String] {
        database.attributes.map { "\($0.handle) \($0.type) \($0.value.map { Hex.string($0) } ?? "-")" }
    }

    @Test("lays out declarations, includes, values and the descriptors that the properties ask for")
    func laysOutServices() throws {
        let database = try GATTDatabase(services: Self.services)
        #expect(
            lines(database) == [
                "0x0001 0x2800 0018",
                "0x0002 0x2803 020300002a", "0x0003 0x2A00 616263",
                "0x0004 0x2803 020500012a", "0x0005 0x2A01 4103",
                "0x0006 0x2800 0118",
                "0x0007 0x2803 200800052a", "0x0008 0x2A05 0100ffff", "0x0009 0x2902 -",
                "0x000A 0x2803 0a0b00292b", "0x000B 0x2B29 -",
                "0x000C 0x2803 020d002a2b", "0x000D 0x2B2A -",
                "0x000E 0x2800 0d18",
                "0x000F 0x2802 18001b000f18", "0x0010 0x2802 00010001",
                "0x0011 0x2803 101200372a", "0x0012 0x2A37 -", "0x0013 0x2902 -", "0x0014 0x2901 72617465",
                "0x0015 0x2803 881600392a", "0x0016 0x2A39 -", "0x0017 0x2900 0100",
                "0x0018 0x2801 0f18",
                "0x0019 0x2803 121a00192a", "0x001A 0x2A19 57", "0x001B 0x2902 -",
                "0x0100 0x2801 9ecadc240ee5a9e093f3a3b50100406e",
            ]
        )
        #expect(
            database.services.map { "\($0.uuid) \($0.range) \($0.isPrimary)" } == [
                "0x1800 0x0001…0x0005 true", "0x1801 0x0006…0x000D true", "0x180D 0x000E…0x0017 true",
                "0x180F 0x0018…0x001B false", "6e400001-b5a3-f393-e0a9-e50e24dcca9e 0x0100…0x0100 false",
            ]
        )
    }

    @Test("finds attributes, characteristics and descriptors")
    func findsWhatIsThere() throws {
        let database = try GATTDatabase(services: Self.services)
        let rate = try #require(database.characteristic(0x2A37, in: 0x180D))
        #expect(rate.valueHandle == 0x0012)
        #expect(rate.end == 0x0014)
        #expect(rate.descriptorRange == HandleRange(0x0013, 0x0014))
        #expect(database.descriptor(.characteristicUserDescription, of: rate) == 0x0014)
        #expect(database.characteristic(0x2A37, in: 0x180F) == nil)
        #expect(database.characteristic(0x2A19)?.end == 0x001B)
        #expect(database.service(containing: 0x0013)?.uuid == 0x180D)
        #expect(database.service(containing: 0x0050) == nil)
        #expect(database[0x0012]?.type == 0x2A37)
        #expect(database[0x00FF] == nil)
        #expect(database.attributes(in: HandleRange(0x001A, 0xFFFF)).map(\.handle) == [0x001A, 0x001B, 0x0100])
        #expect(database.attributes(in: HandleRange(0x001C, 0x00FF)).isEmpty)
        #expect(database.attributes(in: HandleRange(5, 4)).isEmpty)
        #expect(database.attributes(in: HandleRange(0, 4)).isEmpty)
    }

    @Test("explicit handles are kept, up to the last possible one")
    func keepsExplicitHandles() throws {
        let value = CharacteristicDefinition(
            0x2A00,
            .read,
            value: .fixed([1]),
            handle: 0xFFF0,
            valueHandle: 0xFFFF
        )
        let database = try GATTDatabase(services: [
            ServiceDefinition(0x1800, characteristics: [value], handle: 0xFF00)
        ])
        #expect(database.attributes.map(\.handle) == [0xFF00, 0xFFF0, 0xFFFF])
        #expect(database.services.map(\.range) == [HandleRange(0xFF00, 0xFFFF)])
    }

    @Test("a definition that cannot be laid out is an error with the reason")
    func refusesWhatCannotBe() {
        let tail = CharacteristicDefinition(0x2A00, .read, value: .fixed([1]), handle: 0xFFFF)
        #expect(throws: GATTDatabaseError.handlesExhausted) {
            try GATTDatabase(services: [ServiceDefinition(0x1800, characteristics: [tail])])
        }
        #expect(throws: GATTDatabaseError.unknownService(label: "nobody")) {
            try GATTDatabase(services: [ServiceDefinition(0x1800, includes: ["nobody"])])
        }
        #expect(throws: GATTDatabaseError.handleOutOfOrder(0x0001)) {
            try GATTDatabase(services: [ServiceDefinition(0x1800), ServiceDefinition(0x1801, handle: 1)])
        }
        #expect(throws: GATTDatabaseError.handleOutOfOrder(.invalid)) {
            try GATTDatabase(services: [ServiceDefinition(0x1800, handle: .invalid)])
        }
        let long = CharacteristicDefinition(0x2A00, .read, value: .fixed([UInt8](repeating: 0, count: 513)))
        #expect(throws: GATTDatabaseError.valueTooLong(3, length: 513)) {
            try GATTDatabase(services: [ServiceDefinition(0x1800, characteristics: [long])])
        }
    }

    @Test("a stored value can be changed, a handler's cannot, and none grows beyond 512 octets")
    func changesValues() throws {
        var database = try GATTDatabase(services: Self.services)
        #expect(set([55], of: 0x001A, in: &database))
        #expect(database[0x001A]?.value == [55])
        #expect(!set([1], of: 0x0012, in: &database))
        #expect(!set([1], of: 0x00F0, in: &database))
        #expect(!set([UInt8](repeating: 0, count: 513), of: 0x001A, in: &database))
    }
}

@Suite("Database Hash (Vol 3, Part G, 7.3)")
struct DatabaseHashTests {
    /// The specification's example database: Core 5.4, Vol 3, Part G, appendix B.
    private func example() throws -> GATTDatabase {
        try GATTDatabase(services: [
            ServiceDefinition(
                0x1800,
                characteristics: [
                    CharacteristicDefinition(0x2A00, [.read, .write], value: .variable([])),
                    CharacteristicDefinition(0x2A01, .read, value: .fixed([0, 0])),
                ]
            ),
            ServiceDefinition(
                0x1801,
                characteristics: [
                    CharacteristicDefinition(0x2A05, .indicate, value: .fixed([1, 0, 0xFF, 0xFF])),
                    CharacteristicDefinition(0x2B29, [.read, .write], value: .clientSupportedFeatures),
                    CharacteristicDefinition(0x2B2A, .read, value: .databaseHash),
                ]
            ),
            ServiceDefinition(
                0x1808,
                includes: ["0x180F"],
                characteristics: [
                    CharacteristicDefinition(
                        0x2A18,
                        [.read, .indicate, .extendedProperties],
                        value: .application
                    )
                ]
            ),
            ServiceDefinition(
                0x180F,
                isPrimary: false,
                characteristics: [CharacteristicDefinition(0x2A19, .read, value: .application)]
            ),
        ])
    }

    @Test("the example database of the specification has the specification's hash")
    func hashesTheExample() throws {
        let database = try example()
        #expect(
            Hex.string(database.hashedAttributes) == """
                010000280018020003280a0300002a04000328020500012a060000280118\
                07000328200800052a090002290a0003280a0b00292b0c000328020d002a2b\
                0e00002808180f000228140016000f1810000328a21100182a12000229\
                130000290000140001280f1815000328021600192a
                """
        )
        #expect(Hex.string(Array(database.hash.reversed())) == "f1ca2d48ecf58bac8a8830bbb9fba990")
    }

    @Test("the hash follows the structure and not the values")
    func followsTheStructure() throws {
        var database = try example()
        let before = database.hash
        database.setValue([1, 2, 3], of: 0x0003)
        #expect(database.hash == before)
        let other = try GATTDatabase(attributes: database.attributes.filter { $0.handle != 0x0012 })
        #expect(other.hash != before)
    }
}
