// SPDX-License-Identifier: MIT

import BluetoothDevices
import Testing

@testable import Bluetooth

@Suite("DiscoveredDatabase, held to a model")
struct DiscoveredDatabaseModelTests {
    /// A client that asks the product's own server step by step.
    private struct Client {
        var discovered = DiscoveredDatabase()
        var bench: ServerBench
        let mtu: UInt16
        var requests = 0
        var steps = 0

        init(_ database: RandomDatabase, mtu: UInt16) throws {
            self.mtu = mtu
            bench = ServerBench(try GATTDatabase(attributes: database.attributes))
            bench.mtu[ServerBench.first] = mtu
        }

        mutating func answer<Answer>(
            _ question: (DiscoveredDatabase) throws(DiscoveryStep) -> Answer
        ) throws -> Answer {
            while true {
                do throws(DiscoveryStep) {
                    return try question(discovered)
                } catch {
                    let before = discovered.coverage
                    discovered.learn(try take(error), from: error)
                    steps += 1
                    try #require(discovered.coverage != before, "no progress by \(error)")
                }
            }
        }

        /// Performs a step as `RemoteDatabase` does.
        private mutating func take(_ step: DiscoveryStep) throws -> DiscoveryFinding {
            switch step {
            case .services(let isPrimary, let range):
                .services(try run(DiscoverServices(primary: isPrimary, in: range, .firstAnswer)))
            case .servicesByUUID(let uuid, let range):
                .services(try run(DiscoverServicesByUUID(uuid, in: range, .firstAnswer)))
            case .includes(let range):
                .includes(try run(DiscoverIncludedServices(in: range, .firstAnswer)))
            case .characteristics(let range):
                .characteristics(try run(DiscoverCharacteristics(in: range, .firstAnswer)))
            case .attributes(let range):
                .attributes(try run(FindAttributes(in: range, .firstAnswer)))
            }
        }

        private mutating func run<Procedure: GATTProcedure>(_ procedure: Procedure) throws -> Procedure.Output {
            var procedure = procedure
            var step = procedure.start(mtu: mtu)
            while true {
                switch step {
                case .send(let request):
                    requests += 1
                    let answers = bench.send(request.encoded())
                    try #require(answers.count == 1)
                    switch try ATTServerPDU(decoding: octets(answers[0])) {
                    case .response(let response): step = procedure.received(.success(response), mtu: mtu)
                    case .error(let error): step = procedure.received(.failure(error), mtu: mtu)
                    default: throw Surprise()
                    }
                case .done(let output): return output
                case .failed(let error): throw error
                }
            }
        }
    }

    private struct Surprise: Error {}

    /// A question, which can be asked the database and the truth.
    private enum Question: Hashable, CaseIterable {
        case allServices, services, service, serviceAt, includes, includesIn, characteristics, allCharacteristics
        case characteristic, characteristicInServices, characteristicAt, descriptors, descriptor
    }

    /// Asks a question with random parameters, and compares the answer with the truth.
    private func ask(
        _ question: Question,
        _ client: inout Client,
        _ truth: RandomDatabase,
        _ generator: inout SeededGenerator
    ) throws {
        let serviceUUID = RandomDatabase.serviceUUIDs.randomElement(using: &generator) ?? 0x180F
        let uuid = RandomDatabase.characteristicUUIDs.randomElement(using: &generator) ?? 0x2A19
        let type = RandomDatabase.descriptorUUIDs.randomElement(using: &generator) ?? 0x2901
        let index = Int.random(in: 0...2, using: &generator)
        let handle =
            truth.attributes.randomElement(using: &generator)?.handle
            ?? Handle(UInt16.random(in: 1...30, using: &generator))
        let near = Handle(min(max(1, handle.rawValue &+ UInt16.random(in: 0...2, using: &generator)), 0xFFFF))
        let service = truth.services.randomElement(using: &generator)?.definition
        let contents = service?.contents ?? .all
        let parent = truth.characteristics(in: contents).randomElement(using: &generator)
        let known = truth.characteristic(at: parent?.valueHandle ?? .invalid)
        switch question {
        case .allServices:
            let found = try client.answer { database throws(DiscoveryStep) in try database.allServices() }
            #expect(found == truth.allServices)
        case .services:
            let found = try client.answer { database throws(DiscoveryStep) in try database.services(serviceUUID) }
            #expect(found == truth.services(serviceUUID))
        case .service:
            let found = try client.answer { database throws(DiscoveryStep) in try database.service(serviceUUID, index) }
            #expect(found == truth.services(serviceUUID).dropFirst(index).first)
        case .serviceAt:
            let found = try client.answer { database throws(DiscoveryStep) in try database.service(at: near) }
            #expect(found == truth.allServices.first { $0.range.start == near })
        case .includes:
            guard let service else { return }
            let found = try client.answer { database throws(DiscoveryStep) in try database.includedServices(of: service)
            }
            #expect(found == (service.contents.map(truth.includes) ?? []))
        case .includesIn:
            let range = HandleRange(min(handle, near), max(handle, near))
            let found = try client.answer { database throws(DiscoveryStep) in try database.includedServices(in: range) }
            #expect(found == truth.includes(in: range))
        case .characteristics:
            let found = try client.answer { database throws(DiscoveryStep) in try database.characteristics(in: contents)
            }
            #expect(found == truth.characteristics(in: contents))
        case .allCharacteristics:
            let found = try client.answer { database throws(DiscoveryStep) in try database.characteristics(in: .all) }
            #expect(found == truth.characteristics(in: .all))
        case .characteristic:
            let range = Bool.random(using: &generator) ? contents : .all
            let found = try client.answer { database throws(DiscoveryStep) in
                try database.characteristic(uuid, index, in: range)
            }
            let expected = truth.characteristics(in: range).filter { $0.uuid == uuid }.dropFirst(index).first
            // The question does not require that the end is known.
            #expect(found?.ending(at: 0) == expected?.ending(at: 0))
            if let found { try askDescriptors(of: found, &client, truth) }
        case .characteristicInServices:
            let found = try client.answer { database throws(DiscoveryStep) in
                try database.characteristic(uuid, index, inServices: serviceUUID)
            }
            let all = truth.services(serviceUUID).compactMap(\.contents).flatMap(truth.characteristics)
            #expect(found?.ending(at: 0) == all.filter { $0.uuid == uuid }.dropFirst(index).first?.ending(at: 0))
            if let found { try askDescriptors(of: found, &client, truth) }
        case .characteristicAt:
            let found = try client.answer { database throws(DiscoveryStep) in try database.characteristic(at: near) }
            #expect(found?.declaration == truth.characteristic(at: near)?.declaration)
            #expect(found?.uuid == truth.characteristic(at: near)?.uuid)
            if let found { try askDescriptors(of: found, &client, truth) }
        case .descriptors:
            guard let parent else { return }
            try askDescriptors(of: parent, &client, truth)
        case .descriptor:
            guard let parent, let known else { return }
            let found = try client.answer { database throws(DiscoveryStep) in
                try database.descriptor(type, index, of: parent)
            }
            #expect(found == known.descriptors.filter { $0.uuid == type }.dropFirst(index).first)
        }
    }

    /// Asks for the descriptors of a characteristic, which ends where its earlier answer said.
    private func askDescriptors(
        of found: GATTCharacteristic,
        _ client: inout Client,
        _ truth: RandomDatabase
    ) throws {
        #expect(found.end >= found.valueHandle)
        let horizon = truth.attributes.last?.handle ?? .last
        let descriptors = try client.answer { database throws(DiscoveryStep) in
            try database.descriptors(of: found, lookingTo: horizon)
        }
        #expect(descriptors == truth.characteristic(at: found.valueHandle)?.descriptors)
    }

    @Test(
        "every answer is correct after any history, and asking again costs no request",
        arguments: 1...120 as ClosedRange<UInt64>
    )
    func questions(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var truth = RandomDatabase(using: &generator)
        let mtu = UInt16.random(in: 23...64, using: &generator)
        var client = try Client(truth, mtu: Bool.random(using: &generator) ? 23 : mtu)
        var changes = 1
        var largest = truth.attributes.count
        // Questions with the states of the generator, so that each can be asked again.
        var asked: [(question: Question, generator: SeededGenerator)] = []
        for _ in 0..<40 {
            let question = Question.allCases.randomElement(using: &generator) ?? .services
            let fork = SeededGenerator(seed: generator.next())
            var again = fork
            try ask(question, &client, truth, &again)
            asked.append((question, fork))
            let requests = client.requests
            for old in asked.suffix(12) {
                again = old.generator
                try ask(old.question, &client, truth, &again)
            }
            #expect(client.requests == requests, "asked again")
            switch Int.random(in: 0..<12, using: &generator) {
            case 0:
                client.discovered.forget(truth.change(using: &generator))
                client.bench.server = GATTServer(database: try GATTDatabase(attributes: truth.attributes))
            case 1:
                // Forgets a range in which nothing has changed.
                let start = UInt16.random(in: 0...40, using: &generator)
                client.discovered.forget(HandleRange(Handle(start), Handle(start &+ 5)))
            default:
                continue
            }
            changes += 1
            largest = max(largest, truth.attributes.count)
            asked = []
        }
        // Each kind of step needs at most one request for each attribute, and one for each gap.
        #expect(client.steps <= changes * 4 * (2 * largest + 10))
        #expect(client.requests <= client.steps * 12)
    }

    /// Compares what is known of each handle with the server's own database. Returns the number of handles that are
    /// known.
    private func comparePlaces(_ client: Client, _ truth: RandomDatabase) throws -> Int {
        let database = try GATTDatabase(attributes: truth.attributes)
        var known = 0
        for attribute in truth.attributes {
            guard let place = client.discovered.knownPlace(of: attribute.handle) else { continue }
            known += 1
            let real = database.place(of: attribute.handle)
            #expect(place.attribute == real?.attribute)
            #expect(place.service == nil || place.service == real?.service)
            #expect(place.characteristic == nil || place.characteristic == real?.characteristic)
        }
        let beyond = (truth.attributes.last?.handle ?? .first).next
        #expect(beyond.flatMap { client.discovered.knownPlace(of: $0) } == nil)
        return known
    }

    @Test("what is known of a handle is true after any history", arguments: 1...60 as ClosedRange<UInt64>)
    func places(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var truth = RandomDatabase(using: &generator)
        var client = try Client(truth, mtu: 23)
        #expect(try comparePlaces(client, truth) == 0)
        for step in 0..<30 {
            try ask(Question.allCases.randomElement(using: &generator) ?? .services, &client, truth, &generator)
            if step == 15 {
                client.discovered.forget(truth.change(using: &generator))
                client.bench.server = GATTServer(database: try GATTDatabase(attributes: truth.attributes))
            }
            _ = try comparePlaces(client, truth)
        }
    }

    @Test("of a database that was read as a whole every handle is known", arguments: 1...30 as ClosedRange<UInt64>)
    func allPlaces(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let truth = RandomDatabase(using: &generator)
        var client = try Client(truth, mtu: 517)
        for question in [Question.allServices, .allCharacteristics] {
            try ask(question, &client, truth, &generator)
        }
        for characteristic in truth.characteristics(in: .all) {
            try askDescriptors(of: characteristic, &client, truth)
        }
        _ = try client.answer { database throws(DiscoveryStep) in try database.includedServices(in: .all) }
        let database = try GATTDatabase(attributes: truth.attributes)
        for service in truth.services {
            for characteristic in service.characteristics {
                let handles =
                    [characteristic.declaration, characteristic.value] + characteristic.descriptors.map(\.handle)
                for handle in handles {
                    #expect(client.discovered.knownPlace(of: handle) == database.place(of: handle), "\(handle)")
                }
            }
            #expect(client.discovered.knownPlace(of: service.start) == database.place(of: service.start))
        }
    }

    @Test("a saved database answers as before", arguments: 1...40 as ClosedRange<UInt64>)
    func kept(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let truth = RandomDatabase(using: &generator)
        var client = try Client(truth, mtu: 23)
        for _ in 0..<12 {
            try ask(Question.allCases.randomElement(using: &generator) ?? .services, &client, truth, &generator)
        }
        let found = client.discovered
        let kept = DiscoveredDatabase(
            services: found.services,
            includes: found.includes,
            declarations: found.declarations,
            attributes: found.attributes,
            coverage: found.coverage
        )
        #expect(kept == found)
    }

    @Test("reading a whole database takes no more requests than it has lists", arguments: 1...40 as ClosedRange<UInt64>)
    func wholeDatabase(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let truth = RandomDatabase(using: &generator)
        var client = try Client(truth, mtu: 517)
        for question in [Question.allServices, .allCharacteristics] {
            try ask(question, &client, truth, &generator)
        }
        // At most one request for each declaration, because the entries of an answer have UUIDs of one width, and three
        // that find nothing more.
        let runs = truth.attributes.count { $0.declaresService || $0.type == .characteristicDeclaration }
        #expect(client.requests <= runs + 3)
    }
}
