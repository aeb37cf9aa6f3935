// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@testable import BluetoothProfiles

@Suite("Assigned numbers")
struct AssignedNumbersTests {
    struct Table: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let table: NameTable
        let count: Int
    }

    static let tables = [
        Table(testDescription: "services", table: .services, count: 75),
        Table(testDescription: "characteristics", table: .characteristics, count: 520),
        Table(testDescription: "descriptors", table: .descriptors, count: 28),
        Table(testDescription: "members", table: .members, count: 699),
        Table(testDescription: "standards organisations", table: .standardsOrganizations, count: 17),
        Table(testDescription: "service classes", table: .serviceClasses, count: 77),
        Table(testDescription: "protocols", table: .protocols, count: 24),
        Table(testDescription: "mesh profiles", table: .meshProfiles, count: 7),
        Table(testDescription: "object types", table: .objectTypes, count: 6),
        Table(testDescription: "companies", table: .companies, count: 4164),
        Table(testDescription: "appearances", table: .appearances, count: 342),
        Table(testDescription: "namespace descriptions", table: .namespaceDescriptions, count: 273),
        Table(testDescription: "units", table: .units, count: 127),
        Table(testDescription: "HCI commands", table: .hciCommands, count: 371),
        Table(testDescription: "HCI events", table: .hciEvents, count: 133),
        Table(testDescription: "management commands", table: .managementCommands, count: 92),
        Table(testDescription: "management events", table: .managementEvents, count: 51),
        Table(testDescription: "vendors' UUIDs", table: .vendor, count: 217),
    ]

    @Test("every table is complete, sorted and without duplicates, and every entry is found", arguments: tables)
    func tableIsSound(_ table: Table) {
        var last: UInt128?
        var count = 0
        table.table.forEach { entry in
            let number = entry.number
            if let last { #expect(last < number) }
            last = number
            count += 1
            let name = String(decoding: entry.name, as: UTF8.self)
            #expect(table.table.name(of: number) == name)
            #expect(name.contains { $0.isLetter || $0.isNumber }, "\(name)")
            #expect(!name.unicodeScalars.contains { $0 == "\u{FFFD}" || $0.value < 0x20 && $0 != "\t" }, "\(name)")
            return true
        }
        #expect(count == table.count)
    }

    @Test("the index finds what the search finds", arguments: AssignedNumber.Kind.allCases)
    func index(_ kind: AssignedNumber.Kind) {
        let names = AssignedNumbers.slugs([kind])
        #expect(names.count > 20)
        for name in names.enumerated().compactMap({ $0.offset.isMultiple(of: 7) ? $0.element : nil })
            + ["", "-", "nothing", "Battery", "BATTERY_LEVEL", "cccd", "generic access service", "service"]
        {
            let found = AssignedNumbers.indexedUUIDs(named: name, kind: kind)
            #expect(Set(found) == Set(AssignedNumbers.uuids(named: name, kinds: [kind]).map(\.uuid)), "\(name)")
        }
    }

    @Test("numbers between, before and after the entries have no name", arguments: tables)
    func gaps(_ table: Table) {
        var known: Set<UInt128> = []
        table.table.forEach { entry in
            known.insert(entry.number)
            return true
        }
        for number in known {
            for neighbour in [number &- 1, number &+ 1] where !known.contains(neighbour) && neighbour <= 0xFFFF {
                #expect(table.table.name(of: UInt16(neighbour)) == nil)
            }
        }
        #expect(table.table.name(of: UInt128.max) == nil)
    }

    @Test("services have the names of the assigned numbers")
    func services() {
        #expect(AssignedNumbers.name(ofService: 0x1800) == "GAP")
        #expect(AssignedNumbers.name(ofService: 0x180D) == "Heart Rate")
        #expect(AssignedNumbers.name(ofService: 0x180F) == "Battery")
        #expect(AssignedNumbers.name(ofService: 0x185F) == "Generic Voice Assistant")
        #expect(AssignedNumbers.name(ofService: 0x17FF) == nil)
        #expect(AssignedNumbers.name(ofService: 0x1101) == "Serial Port")
        #expect(AssignedNumbers.name(ofService: 0xFEAA) == "Eddystone (Google LLC)")
        #expect(AssignedNumbers.name(ofService: 0xFFF4) == "FiRa Consortium")
        #expect(AssignedNumbers.memberName(0xFEAA) == "Google LLC")
        #expect(AssignedNumbers.name(ofService: 0x2A19) == nil)
    }

    @Test("characteristics that were withdrawn keep their names")
    func withdrawn() {
        #expect(AssignedNumbers.name(ofCharacteristic: 0x2A56) == "Digital")
        #expect(AssignedNumbers.name(ofCharacteristic: 0x2A1A) == "Battery Power State")
    }

    @Test("vendors' UUIDs have their names")
    func vendors() throws {
        let uart = try #require(BluetoothUUID("6e400001-b5a3-f393-e0a9-e50e24dcca9e"))
        let receive = try #require(BluetoothUUID("6e400002-b5a3-f393-e0a9-e50e24dcca9e"))
        #expect(AssignedNumbers.name(ofService: uart) == "Nordic UART Service")
        #expect(AssignedNumbers.name(ofCharacteristic: uart) == nil)
        #expect(AssignedNumbers.name(ofCharacteristic: receive) == "Nordic UART RX")
        #expect(AssignedNumbers.name(of: receive) == "Nordic UART RX")
        let matter = try #require(BluetoothUUID("18ee2ef5-263d-4559-959f-4f9c429f9d11"))
        #expect(AssignedNumbers.name(ofCharacteristic: matter) == "Matter C1")
        #expect(AssignedNumbers.name(of: BluetoothUUID(bits128: 0)) == nil)
        #expect(AssignedNumbers.name(of: BluetoothUUID(bits128: .max)) == nil)
    }
}
