// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothDevices
import Testing
import Toolkit

@testable import BluetoothHost
@testable import Toolkit

@Suite("Databases of cloned devices")
struct ClonedDatabaseTests {
    private static func service(
        _ range: ClosedRange<UInt16>,
        includes: [GATTIncludedService] = [],
        _ characteristics: AttributeTree.Characteristic...
    ) -> AttributeTree.Service {
        let service = GATTService(
            uuid: 0xFE00,
            range: HandleRange(Handle(range.lowerBound), Handle(range.upperBound)),
            isPrimary: true
        )
        return AttributeTree.Service(service: service, includes: includes, characteristics: characteristics)
    }

    private static func characteristic(
        _ declaration: UInt16,
        _ value: UInt16,
        _ properties: CharacteristicProperties = .read,
        descriptors: [(UInt16, BluetoothUUID)] = []
    ) -> AttributeTree.Characteristic {
        AttributeTree.Characteristic(
            characteristic: GATTCharacteristic(
                declaration: Handle(declaration),
                valueHandle: Handle(value),
                properties: properties,
                uuid: 0xFE01,
                end: Handle(value)
            ),
            descriptors: descriptors.map { GATTDescriptor(handle: Handle($0.0), uuid: $0.1) }
        )
    }

    private static func clone(_ services: AttributeTree.Service...) -> ClonedDatabase {
        ClonedDatabase(AttributeTree(services: services), ClonedDatabase.Findings())
    }

    private static func clone(_ tree: AttributeTree) -> ClonedDatabase {
        ClonedDatabase(tree, ClonedDatabase.Findings())
    }

    private static func image(_ services: [DeviceService]) throws -> GATTDatabase {
        let address = DeviceAddress(BluetoothAddress(rawValue: 1), .public)
        return try DeviceDefinition(label: "x", address: address, services: services, hasStandardServices: false)
            .image().database
    }

    @Test func `a characteristic that reaches into the next service is left out`() throws {
        let clone = Self.clone(Self.service(1...9, Self.characteristic(2, 8)), Self.service(5...6))
        #expect(clone.services.map(\.handle) == [1, 5] && clone.remarks.count == 1)
    }

    @Test func `a characteristic whose value comes before it is left out`() throws {
        let clone = Self.clone(Self.service(1...9, Self.characteristic(5, 3), Self.characteristic(6, 7)))
        #expect(clone.services.first?.characteristics.map(\.handle) == [6] && clone.remarks.count == 1)
    }

    @Test func `a private descriptor behind a gap of handles is no value of another characteristic`() {
        let descriptor = BluetoothUUID(bits128: 0xB1EC_066E_5EC7_4C3A_9D0E_51A1_B1EC_0001)
        var known = DiscoveredDatabase()
        let own = Self.characteristic(2, 3).characteristic
        known.learn(.services([Self.service(1...9).service]), from: .services(isPrimary: true, .all))
        known.learn(.characteristics([own]), from: .characteristics(HandleRange(1, 9)))
        // A client that has searched from 4 on has seen that nothing else lies between.
        let found = [AttributeType(handle: 7, uuid: descriptor), AttributeType(handle: 8, uuid: 0x2902)]
        known.learn(.attributes(found), from: .attributes(HandleRange(4, 9)))
        let completed = CompletedDatabase(known) { _ in .read }
        #expect(completed.database == known && completed.remarks.isEmpty)
        // Of one that has read by the UUID, nobody knows.
        var read = DiscoveredDatabase()
        read.learn(.characteristics([own]), from: .characteristics(HandleRange(2, 3)))
        read.learn(.attributes([found[0]]), from: .attributes(HandleRange(7, 7)))
        #expect(CompletedDatabase(read) { _ in .read }.database.declarations.map(\.declaration) == [2, 6])
    }

    @Test func `an assumed service does not reach across one that is known`() {
        var known = DiscoveredDatabase()
        known.learn(.services([Self.service(0x20...0x2F).service]), from: .services(isPrimary: true, .all))
        for declaration: UInt16 in [0x12, 0x41] {
            let own = Self.characteristic(declaration, declaration + 1).characteristic
            let range = HandleRange(own.declaration, own.valueHandle)
            known.learn(.characteristics([own]), from: .characteristics(range))
        }
        let completed = CompletedDatabase(known) { _ in .read }.database
        #expect(completed.services.map(\.range.start) == [0x11, 0x20, 0x40])
        #expect(Self.clone(AttributeTree(known: completed)).remarks.isEmpty)
    }

    @Test func `what a characteristic would send that is left out is left out`() throws {
        var findings = ClonedDatabase.Findings()
        let here = CharacteristicReference.uuid(0xFE01, service: 0xFE00)
        let other = CharacteristicReference.uuid(0xFE02, service: 0xFE00)
        findings.writeRules[3] = [
            WriteRule([], [.store, .send(here, .written), .after(.seconds(1), .send(other, .written))])
        ]
        let tree = AttributeTree(services: [Self.service(1...9, Self.characteristic(2, 3, [.read, .write]))])
        let clone = ClonedDatabase(tree, findings)
        let own = try #require(clone.services.first?.characteristics.first)
        #expect(own.onWrite == [WriteRule([], [.store, .send(here, .written)])])
        #expect(clone.has(here) && !clone.has(other))
    }

    @Test func `an include of nothing is left out`() throws {
        let include = GATTIncludedService(handle: 2, range: HandleRange(0x50, 0x60), uuid: nil)
        let clone = Self.clone(Self.service(1...9, includes: [include]))
        #expect(clone.services.first?.includes == [] && clone.remarks.count == 1)
    }

    @Test func `a subscription without its descriptor gets one, if there is a handle for it`() throws {
        let roomy = Self.clone(Self.service(1...9, Self.characteristic(2, 3, .notify), Self.characteristic(5, 6)))
        #expect(try Self.image(roomy.services).attributes.map(\.handle.rawValue) == [1, 2, 3, 4, 5, 6])
        #expect(roomy.remarks.count == 1)
        let full = Self.clone(Self.service(1...9, Self.characteristic(2, 3, .notify), Self.characteristic(4, 5)))
        #expect(full.services.first?.characteristics.first?.properties == [])
        #expect(full.remarks.count == 1)
    }

    @Test func `a value that may be cut is reported once`() throws {
        let long = GATTLongValue(value: [UInt8](repeating: 7, count: 512), isCut: true)
        var findings = ClonedDatabase.Findings()
        findings.reads[3] = .value(AttributeValue(long, at: 3))
        let tree = AttributeTree(services: [Self.service(1...9, Self.characteristic(2, 3))])
        let clone = ClonedDatabase(tree, findings)
        #expect(clone.services.first?.characteristics.first?.value == .octets(long.value))
        #expect(clone.remarks == ["the value at 0x0003 may be longer than the 512 octets that are kept"])
    }

    @Test func `descriptors keep their places, wherever a server would place them`() throws {
        let usual: [(UInt16, BluetoothUUID)] = [(4, 0x2902), (5, 0x2900), (6, 0x2901)]
        let other: [(UInt16, BluetoothUUID)] = [(4, 0x2901), (6, 0x2900), (9, 0x2902)]
        for descriptors in [usual, other] {
            let node = Self.characteristic(2, 3, [.notify, .extendedProperties], descriptors: descriptors)
            let clone = Self.clone(Self.service(1...20, node))
            let attributes = try Self.image(clone.services).attributes.dropFirst(3)
            #expect(attributes.map(\.handle.rawValue) == descriptors.map(\.0))
            #expect(attributes.map(\.type) == descriptors.map(\.1))
            #expect(clone.remarks.isEmpty)
        }
    }

    @Test func `whatever a device claims, the clone is a valid database`() throws {
        var random = SeededGenerator(seed: 5)
        for _ in 0..<300 {
            func handle() -> UInt16 { UInt16.random(in: 1...40, using: &random) }
            let starts = (0..<4).map { _ in handle() }.sorted()
            let services = starts.map { start in
                let characteristics = (0..<Int.random(in: 0...3, using: &random)).map { _ in
                    let properties = CharacteristicProperties(rawValue: UInt8.random(in: 0...255, using: &random))
                    let types: [BluetoothUUID] = [0x2900, 0x2901, 0x2902, 0x2902]
                    let descriptors = (0..<Int.random(in: 0...3, using: &random)).map { _ in
                        (handle(), types.randomElement(using: &random) ?? 0x2901)
                    }
                    return Self.characteristic(
                        handle(),
                        handle(),
                        properties,
                        descriptors: descriptors.sorted { $0.0 < $1.0 }
                    )
                }
                let include = GATTIncludedService(
                    handle: Handle(handle()),
                    range: HandleRange(Handle(starts.randomElement(using: &random) ?? 1), .last),
                    uuid: nil
                )
                return AttributeTree.Service(
                    service: GATTService(uuid: 0xFE00, range: HandleRange(Handle(start), .last), isPrimary: true),
                    includes: Bool.random(using: &random) ? [include] : [],
                    characteristics: characteristics
                )
            }
            let clone = ClonedDatabase(AttributeTree(services: services), ClonedDatabase.Findings())
            #expect(throws: Never.self) { try Self.image(clone.services) }
        }
    }
}
