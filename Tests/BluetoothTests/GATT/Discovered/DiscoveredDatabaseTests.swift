// SPDX-License-Identifier: MIT

import BluetoothDevices
import Testing

@testable import Bluetooth

@Suite("DiscoveredDatabase")
struct DiscoveredDatabaseTests {
    private static func service(
        _ uuid: BluetoothUUID,
        _ start: Handle,
        _ end: Handle,
        primary isPrimary: Bool = true
    ) -> GATTService {
        GATTService(uuid: uuid, range: HandleRange(start, end), isPrimary: isPrimary)
    }

    private static func characteristic(
        _ uuid: BluetoothUUID,
        _ declaration: Handle,
        _ value: Handle? = nil
    ) -> GATTCharacteristic {
        let value = value ?? declaration.next ?? declaration
        return GATTCharacteristic(
            declaration: declaration,
            valueHandle: value,
            properties: .read,
            uuid: uuid,
            end: value
        )
    }

    /// The step that a question needs; `nil` if it was answered.
    private func missing<Answer>(
        _ database: DiscoveredDatabase,
        _ question: (DiscoveredDatabase) throws(DiscoveryStep) -> Answer
    ) -> DiscoveryStep? {
        do throws(DiscoveryStep) {
            _ = try question(database)
            return nil
        } catch {
            return error
        }
    }

    @Test("in an unknown database, each question has its own first step")
    func firstSteps() {
        let nothing = DiscoveredDatabase()
        let parent = Self.characteristic(0x2A19, 3).ending(at: 9)
        #expect(nothing.isEmpty)
        #expect(missing(nothing) { d throws(DiscoveryStep) in try d.allServices() } == .services(isPrimary: true, .all))
        #expect(
            missing(nothing) { d throws(DiscoveryStep) in try d.service(0x180F) } == .servicesByUUID(0x180F, .all)
        )
        #expect(
            missing(nothing) { d throws(DiscoveryStep) in try d.service(at: 7) }
                == .services(isPrimary: true, HandleRange(7, .last))
        )
        #expect(
            missing(nothing) { d throws(DiscoveryStep) in try d.includedServices(in: HandleRange(2, 9)) }
                == .includes(HandleRange(2, 9))
        )
        #expect(
            missing(nothing) { d throws(DiscoveryStep) in try d.characteristic(0x2A19, in: HandleRange(2, 9)) }
                == .characteristics(HandleRange(2, 9))
        )
        #expect(
            missing(nothing) { d throws(DiscoveryStep) in try d.characteristic(at: 7) }
                == .characteristics(HandleRange(6, .last))
        )
        #expect(
            missing(nothing) { d throws(DiscoveryStep) in try d.characteristic(at: 1) }
                == .characteristics(.all)
        )
        #expect(
            missing(nothing) { d throws(DiscoveryStep) in try d.descriptor(0x2902, of: parent) }
                == .attributes(HandleRange(5, 9))
        )
        #expect(
            missing(nothing) { d throws(DiscoveryStep) in try d.descriptors(of: parent, lookingTo: 20) }
                == .attributes(HandleRange(5, 20))
        )
    }

    @Test("a question is answered as soon as its own answer is known")
    func answersEarly() throws {
        var database = DiscoveredDatabase()
        database.learn(.services([Self.service(0x180F, 5, 9)]), from: .servicesByUUID(0x180F, .all))
        #expect(try database.service(0x180F)?.range == HandleRange(5, 9))
        let next = DiscoveryStep.servicesByUUID(0x180F, HandleRange(10, .last))
        #expect(missing(database) { d throws(DiscoveryStep) in try d.service(0x180F, 1) } == next)
        #expect(missing(database) { d throws(DiscoveryStep) in try d.services(0x180F) } == next)
        #expect(try database.service(at: 5)?.uuid == 0x180F)
        database.learn(.services([]), from: next)
        #expect(try database.service(0x180F, 1) == nil)
        #expect(try database.services(0x180F).count == 1)
        // Nothing is known about other services.
        #expect(
            missing(database) { d throws(DiscoveryStep) in try d.service(0x180D) } == .servicesByUUID(0x180D, .all)
        )
    }

    @Test func `only discovery shows that there is no service of a UUID`() throws {
        var database = DiscoveredDatabase()
        database.learn(.services([]), from: .servicesByUUID(0x180F, .all))
        let discovery = DiscoveryStep.services(isPrimary: true, .all)
        #expect(missing(database) { d throws(DiscoveryStep) in try d.service(0x180F) } == discovery)
        #expect(missing(database) { d throws(DiscoveryStep) in try d.services(0x180F) } == discovery)
        // The server has stored the UUID in its long form.
        let long = BluetoothUUID(bits128: BluetoothUUID(0x180F).value)
        database.learn(.services([Self.service(long, 5, 9)]), from: discovery)
        #expect(try database.service(0x180F)?.range == HandleRange(5, 9))
        database.learn(.services([]), from: .services(isPrimary: true, HandleRange(10, .last)))
        #expect(try database.service(0x180D) == nil)
    }

    @Test func `an end at 0xFFFF counts when no other service follows`() throws {
        var database = DiscoveredDatabase()
        database.learn(.services([Self.service(0x180F, 5, .last)]), from: .servicesByUUID(0x180F, .all))
        let discovery = DiscoveryStep.services(isPrimary: true, HandleRange(6, .last))
        #expect(missing(database) { d throws(DiscoveryStep) in try d.service(0x180F) } == discovery)
        #expect(missing(database) { d throws(DiscoveryStep) in try d.service(at: 5) } == discovery)
        var all = database
        all.learn(.services([]), from: .servicesByUUID(0x180F, HandleRange(6, .last)))
        #expect(missing(all) { d throws(DiscoveryStep) in try d.services(0x180F) } == discovery)
        let search = { (d: DiscoveredDatabase) throws(DiscoveryStep) in
            try d.characteristic(0x2A19, inServices: 0x180F)
        }
        #expect(missing(database, search) == discovery)
        var other = database
        database.learn(.services([]), from: discovery)
        #expect(try database.service(0x180F)?.range == HandleRange(5, .last))
        #expect(!database.hasOverlaps)
        // Another service follows, and a characteristic in it is not one of this service.
        other.learn(.services([Self.service(0x180D, 9, .last)]), from: discovery)
        #expect(try other.service(0x180F)?.range == HandleRange(5, 8))
        #expect(other.hasOverlaps)
        other.learn(.characteristics([Self.characteristic(0x2A19, 10)]), from: .characteristics(HandleRange(6, .last)))
        #expect(missing(other, search) == .servicesByUUID(0x180F, HandleRange(12, .last)))
    }

    @Test func `services that all end at 0xFFFF end before the next one, and discovery goes on after each`() throws {
        var database = DiscoveredDatabase()
        var asked: [HandleRange] = []
        let truth: [Handle] = [1, 6, 9]
        while let step = missing(database, { d throws(DiscoveryStep) in try d.allServices() }) {
            asked.append(step.range)
            guard case .services(true, let range) = step, let start = truth.first(where: { range.contains($0) }) else {
                database.learn(.services([]), from: step)
                continue
            }
            database.learn(.services([Self.service(0x180F, start, .last)]), from: step)
        }
        #expect(
            try database.allServices().map(\.range) == [
                HandleRange(1, 5), HandleRange(6, 8), HandleRange(9, .last),
            ]
        )
        #expect(asked.map(\.start) == [1, 2, 7, 10, 2])
        // A restored database says so as well.
        let restored = DiscoveredDatabase(
            services: database.services,
            includes: [],
            declarations: [],
            attributes: database.attributes,
            coverage: database.coverage,
            hasOverlaps: true
        )
        #expect(restored?.hasOverlaps == true)
    }

    @Test("a characteristic is searched in the services of a UUID one after the other")
    func looksThroughServices() throws {
        var database = DiscoveredDatabase()
        func find(_ index: Int = 0) -> DiscoveryStep? {
            missing(database) { d throws(DiscoveryStep) in try d.characteristic(0x2A19, index, inServices: 0x180F) }
        }
        #expect(find() == .servicesByUUID(0x180F, .all))
        let services = [Self.service(0x180F, 1, 4), Self.service(0x180F, 7, 8), Self.service(0x180F, 9, 13)]
        database.learn(.services(services), from: .servicesByUUID(0x180F, .all))
        #expect(find() == .characteristics(HandleRange(2, 4)))
        database.learn(.characteristics([]), from: .characteristics(HandleRange(2, 4)))
        // The second one has no room for a characteristic, and the gap between them belongs to neither.
        #expect(find() == .characteristics(HandleRange(10, 13)))
        database.learn(.characteristics([Self.characteristic(0x2A19, 10)]), from: .characteristics(HandleRange(10, 13)))
        #expect(try database.characteristic(0x2A19, inServices: 0x180F)?.declaration == 10)
        #expect(find(1) == .characteristics(HandleRange(12, 13)))
        database.learn(.characteristics([]), from: .characteristics(HandleRange(12, 13)))
        #expect(find(1) == .servicesByUUID(0x180F, HandleRange(14, .last)))
        database.learn(.services([]), from: .servicesByUUID(0x180F, HandleRange(14, .last)))
        #expect(try database.characteristic(0x2A19, 1, inServices: 0x180F) == nil)
        #expect(try database.characteristic(0x2A19, .max, inServices: 0x180F) == nil)
        // A characteristic outside of services, or in another service, does not count.
        database.learn(.characteristics([Self.characteristic(0x2A19, 5)]), from: .characteristics(HandleRange(5, 6)))
        #expect(try database.characteristic(0x2A19, inServices: 0x180F)?.declaration == 10)
    }

    @Test("a range's last handle is not searched, because a characteristic's value has no room there")
    func lastHandle() throws {
        var database = DiscoveredDatabase()
        database.learn(.characteristics([Self.characteristic(0x2A19, 2)]), from: .characteristics(HandleRange(2, 3)))
        #expect(try database.characteristics(in: HandleRange(2, 4)).map(\.declaration) == [2])
        #expect(try database.characteristic(0x2A37, in: HandleRange(2, 4)) == nil)
        #expect(
            missing(database) { d throws(DiscoveryStep) in try d.characteristics(in: HandleRange(2, 5)) }
                == .characteristics(HandleRange(4, 5))
        )
    }

    @Test("if two answers differ, the later one counts")
    func contradictions() throws {
        var database = DiscoveredDatabase()
        for uuid in [0x180F, 0x180D] as [BluetoothUUID] {
            database.learn(.services([Self.service(uuid, 1, 9)]), from: .services(isPrimary: true, .all))
        }
        for uuid in [0x2A19, 0x2A37] as [BluetoothUUID] {
            database.learn(.characteristics([Self.characteristic(uuid, 2)]), from: .characteristics(.all))
        }
        for uuid in [0x2803, 0x2901] as [BluetoothUUID] {
            database.learn(.attributes([AttributeType(handle: 4, uuid: uuid)]), from: .attributes(HandleRange(4, 9)))
        }
        database.learn(.services([]), from: .services(isPrimary: true, HandleRange(2, .last)))
        #expect(try database.service(0x180F) == nil)
        #expect(try database.service(0x180D)?.range.start == 1)
        #expect(try database.characteristic(0x2A19, in: HandleRange(1, 3)) == nil)
        #expect(try database.characteristic(0x2A37, in: HandleRange(1, 3))?.declaration == 2)
        #expect(try database.descriptors(of: Self.characteristic(0x2A37, 2).ending(at: 4)).map(\.uuid) == [0x2901])
        database.learn(.services([Self.service(0x180D, 1, 9, primary: false)]), from: .services(isPrimary: false, .all))
        #expect(try database.service(0x180D) == nil)
        database.forget(.all)
        #expect(database.isEmpty)
    }

    @Test("attribute types show which handles have no declaration")
    func attributesTell() throws {
        var database = DiscoveredDatabase()
        let types: [(Handle, BluetoothUUID)] = [(1, 0x2800), (2, 0x2803), (3, 0x2A19), (4, 0x2902), (6, 0x2802)]
        database.learn(
            .attributes(types.map { AttributeType(handle: $0, uuid: $1) }),
            from: .attributes(HandleRange(1, 9))
        )
        #expect(try database.characteristics(in: HandleRange(3, 6)) == [])
        #expect(try database.includedServices(in: HandleRange(1, 5)) == [])
        #expect(try database.service(at: 4) == nil)
        // Behind the last one of the answer, nothing is known.
        #expect(
            missing(database) { d throws(DiscoveryStep) in try d.characteristics(in: HandleRange(3, 8)) }
                == .characteristics(HandleRange(7, 8))
        )
        #expect(
            missing(database) { d throws(DiscoveryStep) in try d.includedServices(in: HandleRange(1, 9)) }
                == .includes(HandleRange(6, 9))
        )
    }

    @Test("a value need not directly follow its declaration")
    func distantValues() throws {
        var database = DiscoveredDatabase()
        database.learn(
            .characteristics([Self.characteristic(0x2A19, 5, 9)]),
            from: .characteristics(HandleRange(5, .last))
        )
        #expect(try database.characteristic(at: 9)?.uuid == 0x2A19)
        // The request includes the handles behind the declaration, because the value follows it.
        #expect(
            missing(database) { d throws(DiscoveryStep) in try d.characteristic(at: 7) }
                == .characteristics(HandleRange(1, .last))
        )
        database.learn(
            .characteristics([Self.characteristic(0x2A00, 3, 4), Self.characteristic(0x2A19, 5, 9)]),
            from: .characteristics(.all)
        )
        #expect(try database.characteristic(at: 7) == nil)
        #expect(try database.characteristics(in: HandleRange(1, 9)).map(\.end) == [4, 9])
    }

    // MARK: - Forgetting

    /// Services at 1…5, 6…9 and 10…14, each completely known.
    private var whole: DiscoveredDatabase {
        var database = DiscoveredDatabase()
        database.learn(
            .services([Self.service(0x1800, 1, 5), Self.service(0x180F, 6, 9), Self.service(0x180D, 10, 14)]),
            from: .services(isPrimary: true, .all)
        )
        database.learn(.services([]), from: .services(isPrimary: true, HandleRange(15, .last)))
        database.learn(.services([]), from: .services(isPrimary: false, .all))
        database.learn(
            .includes([GATTIncludedService(handle: 2, range: HandleRange(10, 14), uuid: 0x180D)]),
            from: .includes(.all)
        )
        database.learn(.includes([]), from: .includes(HandleRange(3, .last)))
        database.learn(
            .characteristics([
                Self.characteristic(0x2A00, 3), Self.characteristic(0x2A19, 7), Self.characteristic(0x2A37, 11, 13),
            ]),
            from: .characteristics(.all)
        )
        database.learn(.characteristics([]), from: .characteristics(HandleRange(14, .last)))
        database.learn(
            .attributes([5, 9, 14].map { AttributeType(handle: $0, uuid: 0x2902) }),
            from: .attributes(HandleRange(5, 14))
        )
        return database
    }

    @Test("a change removes the whole service that it touches, and nothing else")
    func forgets() throws {
        var database = whole
        database.forget(HandleRange(8, 8))
        #expect(database.services.map(\.uuid) == [0x1800, 0x180D])
        #expect(database.declarations.map(\.uuid) == [0x2A00, 0x2A37])
        #expect(
            missing(database) { d throws(DiscoveryStep) in try d.characteristics(in: .all) }
                == .characteristics(HandleRange(6, .last))
        )
        #expect(
            missing(database) { d throws(DiscoveryStep) in try d.allServices() }
                == .services(isPrimary: true, HandleRange(6, .last))
        )
        #expect(try database.service(0x1800)?.range.end == 5)
        #expect(try database.characteristic(0x2A00, in: HandleRange(2, 5)) != nil)
    }

    @Test("an include of a changed service is forgotten, wherever it is declared")
    func forgetsIncludes() {
        var database = whole
        database.forget(HandleRange(11, 12))
        #expect(database.includes.isEmpty)
        #expect(
            missing(database) { d throws(DiscoveryStep) in try d.includedServices(in: HandleRange(2, 5)) }
                == .includes(HandleRange(2, 5))
        )
    }

    @Test("a characteristic whose value may have changed is forgotten with its declaration")
    func forgetsCharacteristics() {
        var database = DiscoveredDatabase()
        database.learn(.characteristics([Self.characteristic(0x2A19, 5, 9)]), from: .characteristics(.all))
        database.forget(HandleRange(8, 20))
        #expect(database.declarations.isEmpty)
        #expect(
            missing(database) { d throws(DiscoveryStep) in try d.characteristic(0x2A19, in: .all) }
                == .characteristics(HandleRange(5, .last))
        )
    }

    @Test("an invalid range means all handles", arguments: [HandleRange(0, 0xFFFF), HandleRange(9, 3)])
    func forgetsEverything(range: HandleRange) {
        var database = whole
        database.forget(range)
        #expect(database.isEmpty)
    }

    // MARK: - Storing

    @Test("saved entries are accepted only in the order of their handles")
    func keptOrder() {
        let good = whole
        func restored(_ change: (inout [GATTService], inout [GATTCharacteristic]) -> Void) -> DiscoveredDatabase? {
            var (services, declarations) = (good.services, good.declarations)
            change(&services, &declarations)
            return DiscoveredDatabase(
                services: services,
                includes: good.includes,
                declarations: declarations,
                attributes: good.attributes,
                coverage: good.coverage
            )
        }
        #expect(restored { _, _ in } == good)
        #expect(restored { services, _ in services.swapAt(0, 1) } == nil)
        #expect(restored { services, _ in services[1] = Self.service(0x180F, 9, 6) } == nil)
        #expect(restored { services, _ in services[0] = Self.service(0x1800, 0, 5) } == nil)
        #expect(restored { _, declarations in declarations.reverse() } == nil)
        #expect(restored { _, declarations in declarations[0] = Self.characteristic(0x2A00, 3, 8) } == nil)
        #expect(restored { _, declarations in declarations[0] = Self.characteristic(0x2A00, 3, 3) } == nil)
    }

    // MARK: - Hostile findings

    private static func hostileFinding(_ step: DiscoveryStep, _ generator: inout SeededGenerator) -> DiscoveryFinding {
        func handle(_ generator: inout SeededGenerator) -> Handle {
            let near = step.range.start.rawValue &+ UInt16.random(in: 0...9, using: &generator) &- 3
            return [Handle(near), Handle(near), 0, 1, 0xFFFF, step.range.end].randomElement(using: &generator) ?? 0
        }
        let count = Int.random(in: 0...4, using: &generator)
        let uuids: [BluetoothUUID] = [0x2800, 0x2801, 0x2802, 0x2803, 0x2A19, 0x180F]
        func uuid(_ generator: inout SeededGenerator) -> BluetoothUUID { uuids.randomElement(using: &generator) ?? 0 }
        switch step {
        case .services, .servicesByUUID:
            return .services(
                (0..<count).map { _ in
                    let range = HandleRange(handle(&generator), handle(&generator))
                    return GATTService(uuid: uuid(&generator), range: range, isPrimary: Bool.random(using: &generator))
                }
            )
        case .includes:
            return .includes(
                (0..<count).map { _ in
                    let range = HandleRange(handle(&generator), handle(&generator))
                    return GATTIncludedService(handle: handle(&generator), range: range, uuid: nil)
                }
            )
        case .characteristics:
            return .characteristics(
                (0..<count).map { _ in
                    characteristic(uuid(&generator), handle(&generator), handle(&generator))
                }
            )
        case .attributes:
            return .attributes(
                (0..<count).map { _ in AttributeType(handle: handle(&generator), uuid: uuid(&generator)) }
            )
        }
    }

    /// Findings that no procedure returns: out of order, repeated, reversed, out of range.
    @Test(
        "after any input, each step leaves fewer steps, and none traps",
        arguments: 1...60 as ClosedRange<UInt64>
    )
    func hostile(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var database = DiscoveredDatabase()
        let range = HandleRange(0xFFA0, 0xFFFF)
        for _ in 0..<30 {
            let parent = database.declarations.randomElement(using: &generator) ?? Self.characteristic(0x2A19, 0xFFF0)
            let kind = Int.random(in: 0..<8, using: &generator)
            let handle = Handle(0xFFE0 + UInt16.random(in: 0...0x1F, using: &generator))
            var steps = 0
            while steps <= 1_000 {
                let step = missing(database) { database throws(DiscoveryStep) in
                    switch kind {
                    case 0: _ = try database.service(at: handle)
                    case 1: _ = try database.includedServices(in: range)
                    case 2: _ = try database.characteristics(in: range)
                    case 3: _ = try database.characteristic(0x2A19, 2, in: range)
                    case 4: _ = try database.descriptors(of: parent.ending(at: 0xFFFF), lookingTo: 3)
                    case 5: _ = try database.descriptor(0x2902, 1, of: parent)
                    case 6: _ = try database.service(at: 0xFFFF)
                    default: _ = try database.descriptors(of: parent)
                    }
                }
                guard let step else { break }
                steps += 1
                try #require(step.range.isValid)
                database.learn(Self.hostileFinding(step, &generator), from: step)
            }
            // At most one step for each handle, for two kinds of services.
            #expect(steps <= 200, "kind \(kind)")
            if Int.random(in: 0..<6, using: &generator) == 0 {
                let low = Handle(UInt16.random(in: 0...0xFFFF, using: &generator))
                database.forget(HandleRange(low, handle))
            }
        }
    }

    @Test("a result of another kind than the step's is ignored")
    func otherKind() {
        var database = DiscoveredDatabase()
        database.learn(.services([Self.service(0x180F, 1, 9)]), from: .characteristics(.all))
        #expect(database.isEmpty)
    }
}
