// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import SimulatedRadio
import Synchronization
import Testing

/// A device that serves `ServedDatabase`, and a client of it.
struct DatabaseBench: Sendable {
    let device: ServedDevice
    let peripheral: Peripheral
    let time: VirtualTime
    let scope: TaskScope

    /// Answers take 10 ms each, and so does a connection.
    static func run<Value: Sendable>(
        store: MemoryStore? = nil,
        hasHash: Bool = true,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ body: @escaping @Sendable (DatabaseBench) async throws -> Value
    ) throws -> Value {
        try inVirtualTime(sourceLocation: sourceLocation) { time, scope in
            let device = ServedDevice(try ServedDatabase.make(hasHash: hasHash), time, scope)
            let configuration = Peripheral.Configuration(store: store)
            let peripheral = Peripheral(
                .scripted,
                radio: device,
                scope: scope,
                time: time,
                configuration: configuration
            )
            let bench = DatabaseBench(device: device, peripheral: peripheral, time: time, scope: scope)
            let value = try await body(bench)
            await peripheral.disconnect()
            return value
        }
    }

    /// Finds the value of a characteristic beside the test.
    func finding(_ uuid: BluetoothUUID, in service: BluetoothUUID? = nil) -> Running {
        let characteristic =
            service.map { peripheral.service($0).characteristic(uuid) } ?? peripheral.characteristic(uuid)
        return Running(scope, time) { try await characteristic.definition().valueHandle }
    }

    func find(_ uuid: BluetoothUUID) async throws -> Handle {
        try await peripheral.characteristic(uuid).definition().valueHandle
    }

    /// What was asked since the last time.
    var log: String { device.takeLog().joined(separator: " ") }

    /// The device's database from now on, in which everything behind the Generic Attribute service has moved by one.
    func move(telling range: HandleRange? = nil) throws {
        device.change(to: try ServedDatabase.make(first: 0x1805), telling: range)
    }
}

@Suite("RemoteDatabase")
struct RemoteDatabaseTests {
    /// What it takes to find the last characteristic.
    private static let discovery = "mtu characteristics characteristics characteristics"

    @Test("any number of equal questions causes one connection and one discovery")
    func joins() throws {
        let (outcomes, log) = try DatabaseBench.run { bench in
            let callers = (0..<6).map { _ in bench.finding(0x2A39) }
            try await bench.time.sleep(for: .seconds(1))
            return (callers.map { $0.outcome?.text }, bench.log)
        }
        #expect(outcomes == Array(repeating: "0x0025", count: 6))
        #expect(log == "connect \(Self.discovery)")
    }

    @Test("different questions share their common part; a missing attribute fails alone, by name")
    func missing() throws {
        let (outcomes, log) = try DatabaseBench.run { bench in
            let callers = [
                bench.finding(0x2A39), bench.finding(0xFFF1), bench.finding(0x2A39, in: 0xFFF2),
                bench.finding(0xFFF3, in: 0x180F), bench.finding(0x2A19),
            ]
            try await bench.time.sleep(for: .seconds(1))
            return (callers.map { $0.outcome?.text }, bench.log)
        }
        #expect(
            outcomes == [
                "0x0025", "the device has no characteristic 0xFFF1", "the device has no service Aliro (0xFFF2)",
                "the device has no characteristic 0xFFF3 in service Battery (0x180F)", "0x0010",
            ]
        )
        // That there is no further characteristic, and that there is no such service, which discovery confirms.
        #expect(log == "connect \(Self.discovery) characteristics service-by-uuid services services")
    }

    @Test("a cancelled caller leaves its discoveries to the others", arguments: [5, 15, 25, 35, 45])
    func cancelled(milliseconds: Int) throws {
        let (outcomes, log) = try DatabaseBench.run { bench in
            let callers = (0..<4).map { _ in bench.finding(0x2A39) }
            try await bench.time.sleep(for: .milliseconds(milliseconds))
            // A question that is processed, and one that waits.
            callers[0].cancel()
            callers[2].cancel()
            try await bench.time.sleep(for: .seconds(1))
            return (callers.map { $0.outcome }, bench.log)
        }
        #expect(outcomes.map { $0?.text } == ["cancelled", "0x0025", "cancelled", "0x0025"])
        #expect(outcomes[0]?.milliseconds == Int64(milliseconds) && outcomes[2]?.milliseconds == Int64(milliseconds))
        // Only the request that was out is made again.
        #expect(log.split(separator: " ").count <= 6, "\(log)")
        #expect(log.split(separator: " ").filter { $0 == "connect" }.count == 1)
    }

    // MARK: - Changes

    @Test("a change in mid-discovery: earlier requests do not answer", arguments: [15, 25, 35, 45, 55])
    func changesMeanwhile(milliseconds: Int) throws {
        let store = MemoryStore()
        let (handle, fresh) = try DatabaseBench.run(store: store) { bench in
            let caller = bench.finding(0x2A39)
            try await bench.time.sleep(for: .milliseconds(milliseconds))
            try bench.move()
            await bench.peripheral.database.changed(in: HandleRange(14, .last))
            try await bench.time.sleep(for: .seconds(1))
            return (caller.outcome?.text, try await bench.find(0x2A1A))
        }
        #expect(handle == "0x0026")
        #expect(fresh == 25)
        // And what is kept is the new database, under its own hash.
        let kept = try #require(store.load(.scripted))
        #expect(kept.hash == (try ServedDatabase.make(first: 0x1805)).hash)
        #expect(kept.database.declarations.first { $0.uuid == 0x2A39 }?.valueHandle == 38)
    }

    @Test("an answer that contradicts the earlier ones is asked for again")
    func nonsenseInBetween() throws {
        let outcomes = try DatabaseBench.run { bench in
            // Behind the first answer, a declaration whose value stands before it.
            let answers = Mutex(0)
            bench.device.setWhim { name in
                guard name == "characteristics",
                    answers.withLock({
                        $0 += 1; return $0
                    }) == 2
                else { return nil }
                return .answers(octets("09 07 2000 02 1f00 002a"))
            }
            let caller = bench.finding(0x2A39)
            // While the second is on its way.
            try await bench.time.sleep(for: .milliseconds(35))
            await bench.peripheral.database.changed(in: HandleRange(14, .last))
            try await bench.time.sleep(for: .seconds(1))
            answers.withLock { $0 = 0 }
            await bench.peripheral.database.changed(in: .all)
            let second = bench.finding(0x2A39)
            try await bench.time.sleep(for: .seconds(1))
            return [caller.outcome?.text, second.outcome?.text]
        }
        #expect(outcomes[0] == "0x0025")
        // Where nothing has changed, that is the device's answer.
        #expect(outcomes[1]?.hasPrefix("gatt: the device's answer is invalid") == true, "\(outcomes)")
    }

    @Test("a limited number of changes causes a new discovery, until there are fewer; nothing of the device is kept")
    func changesWithoutEnd() throws {
        let store = MemoryStore()
        let (few, many, later) = try DatabaseBench.run(store: store) { bench in
            _ = try await bench.find(0x2A19)
            _ = bench.log
            for _ in 0..<8 { await bench.peripheral.database.changed(in: .all) }
            _ = try await bench.find(0x2A19)
            let few = bench.log
            for _ in 0..<8 { await bench.peripheral.database.changed(in: .all) }
            _ = try await bench.find(0x2A19)
            let many = bench.log
            try await bench.time.sleep(for: .seconds(10))
            _ = try await bench.find(0x2A19)
            return (few, many, bench.log)
        }
        #expect(few == "hash characteristics")
        #expect(many == "")
        #expect(later == "characteristics")
        #expect(store.load(.scripted) == nil)
    }

    @Test("a tree comes from one database only")
    func treeOfOneDatabase() throws {
        for milliseconds in stride(from: 15, through: 125, by: 10) {
            let trees = try DatabaseBench.run { bench in
                let looking = Mutex<AttributeTree?>(nil)
                let task = bench.scope.spawnCancellable {
                    let tree = try? await bench.peripheral.tree()
                    looking.withLock { $0 = tree }
                }
                try await bench.time.sleep(for: .milliseconds(milliseconds))
                try bench.move()
                await bench.peripheral.database.changed(in: HandleRange(14, .last))
                try await bench.time.sleep(for: .seconds(2))
                task.cancel()
                return (looking.withLock { $0 }, try await bench.peripheral.tree())
            }
            #expect(trees.0 == trees.1, "changed after \(milliseconds) ms")
            #expect(trees.1.services.count == 7)
        }
    }

    @Test("a hash requested before a change is requested again")
    func hashBeforeChange() throws {
        let store = MemoryStore()
        let log = try DatabaseBench.run(store: store) { bench in
            let caller = bench.finding(0x2A19)
            try await bench.time.sleep(for: .milliseconds(15))
            await bench.peripheral.database.changed(in: .all)
            try await bench.time.sleep(for: .seconds(1))
            #expect(caller.outcome?.text == "0x0010")
            return bench.log
        }
        #expect(log == "connect hash hash mtu characteristics")
    }

    // MARK: - The hash

    private static func refusal(_ code: UInt8) -> [UInt8] { [0x01, 0x08, 0x01, 0x00, code] }

    @Test(
        "a refused or malformed hash counts as none: nothing is kept, and it is not asked for again",
        arguments: [
            refusal(0x0A), refusal(0x02), refusal(0x05), refusal(0x06), refusal(0x0F), refusal(0x00), refusal(0x80),
            // Too short, none, too long for one; octets that are no answer at all.
            [0x09, 0x04, 0x0D, 0x00, 0xAA, 0xBB], [0x09, 0x02, 0x0D, 0x00],
            [0x09, 0x13, 0x0D, 0x00] + [UInt8](repeating: 0xAA, count: 17), [0x09, 0x07, 0x0D], [0x09],
        ] as [[UInt8]]
    )
    func noHash(answer: [UInt8]) throws {
        let store = MemoryStore()
        for logged in ["connect hash mtu characteristics", "connect mtu characteristics"] {
            let (handle, log) = try DatabaseBench.run(store: store) { bench in
                bench.device.setWhim { $0 == "hash" ? .answers(answer) : nil }
                return (try await bench.find(0x2A19), bench.log)
            }
            #expect(handle == 16)
            #expect(log == logged)
            #expect(store.load(.scripted) == StoredDatabase(hash: nil))
        }
    }

    @Test("a device that never answers the request for its hash fails once only")
    func silentHash() throws {
        let store = MemoryStore()
        let (outcome, log, again) = try DatabaseBench.run(store: store) { bench in
            bench.device.setWhim { $0 == "hash" ? .isSilent : nil }
            let caller = bench.finding(0x2A19)
            try await bench.time.sleep(for: .seconds(5))
            caller.cancel()
            try await bench.time.sleep(for: .seconds(1))
            // As a command does with a device that stays silent.
            await bench.peripheral.disconnect()
            return (caller.outcome?.description, try await bench.find(0x2A19), bench.log)
        }
        #expect(outcome == "cancelled at 5000 ms")
        #expect(log == 16)
        #expect(again == "connect hash connect mtu characteristics")
        let next = try DatabaseBench.run(store: store) { bench in
            bench.device.setWhim { $0 == "hash" ? .isSilent : nil }
            _ = try await bench.find(0x2A19)
            return bench.log
        }
        #expect(next == "connect mtu characteristics")
    }

    @Test("the bearer's own timeout counts the same; a shorter limit of a caller does not")
    func silentHashTimesOut() throws {
        let store = MemoryStore()
        let outcome = try DatabaseBench.run(store: store) { bench in
            bench.device.setWhim { $0 == "hash" ? .isSilent : nil }
            let hasty = bench.finding(0x2A19)
            try await bench.time.sleep(for: .seconds(1))
            hasty.cancel()
            await bench.peripheral.disconnect()
            #expect(store.load(.scripted) == nil)
            let caller = bench.finding(0x2A19)
            try await bench.time.sleep(for: .seconds(40))
            return caller.outcome?.text
        }
        #expect(outcome == "att: no answer within 30 s")
        #expect(store.load(.scripted) == StoredDatabase(hash: nil))
    }

    @Test("a lost link proves nothing about the hash")
    func lostHash() throws {
        let store = MemoryStore()
        let log = try DatabaseBench.run(store: store) { bench in
            let caller = bench.finding(0x2A19)
            bench.device.setWhim { $0 == "hash" ? .isSilent : nil }
            try await bench.time.sleep(for: .seconds(8))
            bench.device.setWhim { _ in nil }
            bench.device.loseLink()
            try await bench.time.sleep(for: .seconds(1))
            #expect(caller.outcome?.text.hasPrefix("radio: linkLost") == true)
            #expect(try await bench.find(0x2A19) == 16)
            return bench.log
        }
        #expect(log == "connect hash connect hash mtu characteristics")
        #expect(store.load(.scripted)?.hash != nil)
    }

    // MARK: - Links

    @Test("a link lost in mid-question ends it; the next one asks for everything again")
    func lostLink() throws {
        let (outcome, log) = try DatabaseBench.run { bench in
            let caller = bench.finding(0x2A39)
            try await bench.time.sleep(for: .milliseconds(35))
            bench.device.loseLink()
            try await bench.time.sleep(for: .seconds(1))
            _ = bench.log
            #expect(try await bench.find(0x2A39) == 37)
            return (caller.outcome?.text, bench.log)
        }
        #expect(outcome == "radio: linkLost(Optional(connection timeout (0x08)))")
        #expect(log == "connect \(Self.discovery)")
    }

    @Test("results of a lost link are used on the next one if the hash is the same, and survive in between")
    func nextLink() throws {
        let log = try DatabaseBench.run(store: MemoryStore()) { bench in
            let caller = bench.finding(0x2A39)
            // The first answer but one is there.
            try await bench.time.sleep(for: .milliseconds(55))
            bench.device.loseLink()
            try await bench.time.sleep(for: .seconds(1))
            #expect(caller.outcome?.text.hasPrefix("radio") == true)
            _ = bench.log
            #expect(try await bench.find(0x2A39) == 37)
            return bench.log
        }
        #expect(log == "connect hash mtu characteristics")
    }

    @Test("on the next link the device has another database")
    func anotherDatabase() throws {
        let store = MemoryStore()
        let log = try DatabaseBench.run(store: store) { bench in
            #expect(try await bench.find(0x2A39) == 37)
            bench.device.loseLink()
            try bench.move()
            try await bench.time.sleep(for: .seconds(1))
            _ = bench.log
            #expect(try await bench.find(0x2A39) == 38)
            return bench.log
        }
        #expect(log == "connect hash \(Self.discovery)")
        #expect(store.load(.scripted)?.database.declarations.first { $0.uuid == 0x2A39 }?.valueHandle == 38)
    }

    @Test("a caller with an earlier link gets no answer, and does not disturb the present one")
    func staleLink() throws {
        let log = try DatabaseBench.run { bench in
            let old = try await bench.peripheral.connection()
            bench.device.loseLink()
            try await bench.time.sleep(for: .seconds(1))
            #expect(try await bench.find(0x2A19) == 16)
            let stale = Running(bench.scope, bench.time) {
                try await bench.peripheral.database.answer(on: old) { database throws(DiscoveryStep) in
                    try database.characteristic(0x2A19, in: .all)?.valueHandle
                }
            }
            try await bench.time.sleep(for: .seconds(1))
            #expect(stale.outcome?.text.hasPrefix("radio: linkLost") == true)
            _ = bench.log
            #expect(try await bench.find(0x2A19) == 16)
            return bench.log
        }
        #expect(log == "")
    }

    // MARK: - What is kept

    @Test("results that take a request or two are not kept, and cost no hash")
    func cheap() throws {
        let store = MemoryStore()
        let log = try DatabaseBench.run(store: store) { bench in
            _ = try await bench.peripheral.service(0x180F).characteristic(0x2A19).read()
            return bench.log
        }
        #expect(log == "connect service-by-uuid read-by-uuid")
        #expect(store.load(.scripted) == nil)
    }

    @Test("for a device without a Generic Attribute service only that fact is kept")
    func deviceWithoutHash() throws {
        let store = MemoryStore()
        for logged in ["connect hash mtu characteristics", "connect mtu characteristics"] {
            let log = try DatabaseBench.run(store: store, hasHash: false) { bench in
                let handle = try await bench.find(0x2A19)
                return "\(handle) by \(bench.log)"
            }
            #expect(log == "0x0008 by \(logged)")
        }
        #expect(store.load(.scripted) == StoredDatabase(hash: nil))
    }

    @Test("a stored database that differs is not used, whatever it contains")
    func foreignStore() throws {
        var wrong = DiscoveredDatabase()
        wrong.learn(
            .characteristics([
                GATTCharacteristic(declaration: 2, valueHandle: 3, properties: .read, uuid: 0x2A39, end: 3)
            ]),
            from: .characteristics(.all)
        )
        let store = MemoryStore([
            .scripted: StoredDatabase(hash: Array(repeating: 1, count: 16), database: wrong)
        ])
        let (handle, log) = try DatabaseBench.run(store: store) { (try await $0.find(0x2A39), $0.log) }
        #expect(handle == 37)
        #expect(log == "connect hash \(Self.discovery)")
    }
}
