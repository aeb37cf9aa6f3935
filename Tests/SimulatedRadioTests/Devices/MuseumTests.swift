// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import Testing

@testable import SimulatedRadio

@Suite("Museum")
struct MuseumTests {
    private func database() throws -> GATTDatabase { try SimulatedDevice.builtIn("museum").database }

    @Test func `it has what the tests of GATT require of a database`() throws {
        let database = try database()
        let services = database.services
        #expect(services.last?.range == HandleRange(.last, .last))
        #expect(services.contains { !$0.isPrimary && $0.range.start < 0x0030 })
        #expect(services.filter { $0.uuid == WorkbenchUUID.numbered(0x0650) }.count == 2)
        #expect(services.contains { $0.contents == nil && $0.range.start < 0x1000 })
        #expect(database.characteristics().contains { $0.valueHandle == 0xFFFE })
        #expect(database.characteristic(.databaseHash) == nil)

        func widths(_ handle: Handle) throws -> [Bool] {
            let service = try #require(database.service(containing: handle))
            return database.characteristics(in: service.range).map { $0.uuid.width == .bits128 }
        }
        #expect(try widths(0x0040) == [true, true, false, false])
        #expect(try widths(0x0050) == [false, false, true, true])
        #expect(try widths(0x0060) == [false, true, false, true, false])
    }

    @Test func `includes refer to services before and after, and contain only short UUIDs`() throws {
        let includes = try database().attributes.filter { $0.type == .include }.map { Hex.string($0.value ?? []) }
        #expect(includes == ["20002200", "900090000218", "800081001618", "60006a000a18", "20002200"])
    }

    @Test func `every attribute is found and read with the smallest MTU`() throws {
        try DeviceProbe.run("museum") { museum in
            let found = try await withTaskScope { scope in
                let connection = ATTConnection.start(museum.channel, scope: scope, time: museum.time)
                defer { connection.close() }
                return try await Self.readAll(connection, museum.device.database)
            }
            #expect(found > 30)
        }
    }

    /// Discovers and reads everything, and compares it. Returns the number of values.
    private static func readAll(_ connection: ATTConnection, _ database: GATTDatabase) async throws -> Int {
        var found = 0
        let primary = try await connection.perform(DiscoverServices())
        #expect(primary.map(\.range.start) == database.services.filter(\.isPrimary).map(\.range.start))
        for service in database.services {
            let characteristics = try await connection.perform(DiscoverCharacteristics(in: service.range))
            let expected = database.characteristics(in: service.range)
            #expect(characteristics.map(\.valueHandle) == expected.map(\.valueHandle))
            #expect(characteristics.map(\.uuid) == expected.map(\.uuid))
            for characteristic in characteristics where characteristic.properties.contains(.read) {
                let value = try await connection.perform(ReadLongValue(characteristic.valueHandle))
                #expect(value.value == database[characteristic.valueHandle]?.value)
                found += 1
            }
        }
        return found
    }
}
