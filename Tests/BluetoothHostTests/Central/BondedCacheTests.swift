// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import BluetoothHost
import BluetoothTesting
import SimulatedRadio
import Synchronization
import Testing

/// A simulated device without a Database Hash, which changes its database when its switch is written: then there is a
/// service in front of its lamp, or that is gone again.
private struct Lamp: DeviceFirmware {
    static let address = DeviceAddress(BluetoothAddress(rawValue: 0xC0_00_00_00_00_77), .random)
    static let bonded = LinkSecurity(isEncrypted: true, keySize: 16, hasBond: true)
    static let toggle = BluetoothUUID(bits128: 0xB1EC_0201_5EC7_4C3A_9D0E_51A1_B1EC_0001)
    static let label = BluetoothUUID(bits128: 0xB1EC_0202_5EC7_4C3A_9D0E_51A1_B1EC_0001)

    private var isMoved = false

    mutating func write(_ request: GATTServer.WriteContext, _ device: inout DeviceContext) -> DeviceAnswer<Void> {
        isMoved.toggle()
        guard let database = try? Self.database(isMoved: isMoved) else { return .refuse(.unlikelyError) }
        device.replaceDatabase(with: database)
        return .accept
    }

    /// The switch is at 0x0013, the label at 0x0020, or behind a service of the size of its own at 0x0024.
    private static func database(
        isMoved: Bool = false,
        tellsChanges: Bool = true
    ) throws(GATTDatabaseError) -> GATTDatabase {
        let generic = ServiceDefinition(
            .genericAttribute,
            characteristics: tellsChanges
                ? [CharacteristicDefinition(.serviceChanged, .indicate, value: .fixed([1, 0, 0xFF, 0xFF]))] : []
        )
        let control = ServiceDefinition(
            0xFFE0,
            characteristics: [CharacteristicDefinition(toggle, .write, value: .handler(maximumLength: 1))],
            handle: 0x0011
        )
        let lamp = ServiceDefinition(
            0xFFE1,
            characteristics: [CharacteristicDefinition(label, [.read, .notify], value: .fixed([isMoved ? 2 : 1]))],
            handle: isMoved ? 0x0024 : 0x0020
        )
        let other = ServiceDefinition(
            0xFFE2,
            characteristics: [CharacteristicDefinition(0x2A00, .read, value: .fixed([0xEE]))],
            handle: 0x0020
        )
        let first = [.genericAccess(name: "Lamp"), generic, control]
        return try GATTDatabase(services: first + (isMoved ? [other] : []) + [lamp])
    }

    static func device(_ security: LinkSecurity, tellsChanges: Bool = true) throws -> SimulatedDevice {
        SimulatedDevice(
            name: "lamp",
            address: address,
            rssi: -50,
            advertising: [DeviceAdvertising(.connectable, interval: .milliseconds(100), data: [])],
            database: try database(tellsChanges: tellsChanges),
            firmware: Lamp(),
            link: .init(maximumConnections: 2, security: security)
        )
    }
}

/// A user of the lamp, in runs of the program that share the store only.
private struct LampBench: Sendable {
    let radio: any Radio
    let store: MemoryStore
    let time: any TimeSource
    let scope: TaskScope
    let sent: Requests

    /// What was asked, by opcodes.
    final class Requests: Sendable {
        private let log = Mutex<[String]>([])

        func append(_ packet: TappedPacket) {
            guard case .att = packet.channel, packet.direction == .sent else { return }
            log.withLock { $0.append(Hex.string(packet.bytes.prefix(3))) }
        }

        func take() -> [String] {
            log.withLock { log in
                defer { log = [] }
                return log
            }
        }
    }

    static func run<Value: Sendable>(
        _ security: LinkSecurity = Lamp.bonded,
        tellsChanges: Bool = true,
        store: MemoryStore = MemoryStore(),
        _ body: @escaping @Sendable (LampBench) async throws -> Value
    ) async throws -> Value {
        let world = SimulatedWorld(devices: [try Lamp.device(security, tellsChanges: tellsChanges)])
        return try await withSimulation(world) { simulation in
            let (time, scope, sent) = (simulation.time, simulation.scope, Requests())
            let system = TappedRadioSystem(simulation.system, time: time, tap: { sent.append($0) })
            return try await body(
                LampBench(radio: try system.radio(named: nil), store: store, time: time, scope: scope, sent: sent)
            )
        }
    }

    /// A run of the program: its result, and its requests to the device.
    func program<Value: Sendable>(
        _ body: @Sendable (Peripheral) async throws -> Value
    ) async throws -> (value: Value, requests: [String]) {
        let peripheral = Peripheral(
            Lamp.address,
            radio: radio,
            scope: scope,
            time: time,
            configuration: .init(store: store)
        )
        let value = try await body(peripheral)
        await peripheral.disconnect()
        try await time.sleep(for: .seconds(1))
        return (value, sent.take())
    }

    /// Reads the label by way of its handle, so that a wrong one brings something else.
    func readLabel() async throws -> (value: [UInt8], requests: [String]) {
        try await program { peripheral in
            let definition = try await peripheral.characteristic(Lamp.label).definition()
            return try await peripheral.attribute(at: definition.valueHandle).read().value
        }
    }

    /// The device's database changes by another cause.
    func toggle() async throws {
        let other = Peripheral(Lamp.address, radio: radio, scope: scope, time: time)
        _ = try await other.characteristic(Lamp.toggle).write([1])
        await other.disconnect()
        try await time.sleep(for: .seconds(1))
        _ = sent.take()
    }
}

@Suite("The GATT cache of a bonded device without a hash")
struct BondedCacheTests {
    private static let configuration: Handle = 0x0009
    private static let readsConfiguration = "0a0900"
    private static let subscribes = "120900"

    @Test("the device is asked to indicate changes before discovery, and the result is kept")
    func first() async throws {
        let store = MemoryStore()
        let requests = try await LampBench.run(store: store) { try await $0.readLabel().requests }
        let subscription = try #require(requests.firstIndex(of: Self.subscribes))
        #expect(requests[subscription...].contains { $0.hasPrefix("08") }, "it was discovered behind it: \(requests)")
        let stored = try #require(store.load(Lamp.address))
        #expect(stored.hash == nil)
        #expect(stored.serviceChanged == .init(value: 0x0008, configuration: Self.configuration))
        #expect(stored.database.declarations.contains { $0.uuid == Lamp.label && $0.valueHandle == 0x0022 })
    }

    @Test("the next run only checks that the device still has the subscription")
    func second() async throws {
        let (first, second, third) = try await LampBench.run { bench in
            (try await bench.readLabel(), try await bench.readLabel(), try await bench.readLabel())
        }
        #expect(first.value == [1] && second.value == [1] && third.value == [1])
        #expect(second.requests == [Self.readsConfiguration, "0a2200"])
        #expect(third.requests == second.requests)
    }

    @Test("a change that happened without a link is indicated before the cache is used")
    func changedMeanwhile() async throws {
        let (label, requests, again) = try await LampBench.run { bench in
            _ = try await bench.readLabel()
            try await bench.toggle()
            let (label, requests) = try await bench.readLabel()
            return (label, requests, try await bench.readLabel())
        }
        #expect(label == [2], "at the old handle there is something else now")
        #expect(requests.contains("1e"), "the device was told that we know")
        #expect(requests.contains(Self.readsConfiguration) && requests.contains { $0.hasPrefix("08") }, "\(requests)")
        #expect(again.value == [2])
        #expect(again.requests == [Self.readsConfiguration, "0a2600"], "what is there now was kept")
    }

    @Test(
        "a change that comes before the first question counts for this run, and without one for the next",
        arguments: [true, false]
    )
    func changedUnasked(asks: Bool) async throws {
        let label = try await LampBench.run { bench in
            _ = try await bench.readLabel()
            try await bench.toggle()
            let label = try await bench.program { peripheral in
                // It answers without a question about the database, and has indicated the change.
                _ = try await peripheral.attribute(at: 0x0003).read()
                try await bench.time.sleep(for: .seconds(1))
                guard asks else { return [UInt8]() }
                let definition = try await peripheral.characteristic(Lamp.label).definition()
                return try await peripheral.attribute(at: definition.valueHandle).read().value
            }
            #expect(label.requests.contains("1e"))
            return asks ? label.value : try await bench.readLabel().value
        }
        #expect(label == [2], "at the old handle there is something else now")
    }

    @Test("a change that was indicated to another program counts on the next link")
    func toldToAnother() async throws {
        let labels = try await LampBench.run { bench in
            try await bench.program { peripheral in
                func label() async throws -> [UInt8] {
                    let definition = try await peripheral.characteristic(Lamp.label).definition()
                    return try await peripheral.attribute(at: definition.valueHandle).read().value
                }
                let first = try await label()
                await peripheral.disconnect()
                try await bench.toggle()
                _ = try await bench.program { other in
                    _ = try await other.attribute(at: 0x0003).read()
                    try await bench.time.sleep(for: .seconds(1))
                }
                return [first, try await label()]
            }.value
        }
        #expect(labels == [[1], [2]])
    }

    @Test("a change that arrives together with the confirmation is processed first")
    func heardFirst() async throws {
        var database = DiscoveredDatabase()
        database.learn(
            .services([GATTService(uuid: 0x180F, range: HandleRange(5, 9), isPrimary: true)]),
            from: .servicesByUUID(0x180F, .all)
        )
        let stored = StoredDatabase(
            hash: nil,
            serviceChanged: .init(value: 3, configuration: 4),
            database: database
        )
        let range = try inVirtualTime { time, scope in
            let channel = ScriptedChannel(
                [
                    turn("0a 0400", reactions: [.packet("1d 0300 0500 0900"), .packet("0b 0200")]), turn("1e"),
                    turn("08 0100 ffff 2a2b", "01 08 0100 0a"), turn("06 0500 ffff 0028 0f18", "07 0a00 0e00"),
                ],
                time,
                scope
            )
            channel.become(Lamp.bonded)
            let link = ATTConnection.start(channel, scope: scope, time: time)
            let remote = RemoteDatabase(of: .scripted, store: MemoryStore([.scripted: stored]))
            let service = try await remote.answer(on: link) { database throws(DiscoveryStep) in
                try database.service(0x180F)
            }
            link.close()
            return service?.range
        }
        #expect(range == HandleRange(0x0A, 0x0E))
    }

    @Test("a device that has lost the subscription is discovered again")
    func forgotten() async throws {
        let store = MemoryStore()
        _ = try await LampBench.run(store: store) { try await $0.readLabel() }
        // Another life of the device: it has a bond with us, but no subscription.
        let (first, second) = try await LampBench.run(store: store) { bench in
            (try await bench.readLabel(), try await bench.readLabel())
        }
        #expect(first.value == [1])
        #expect(first.requests.first == Self.readsConfiguration)
        #expect(first.requests.contains(Self.subscribes) && first.requests.contains { $0.hasPrefix("08") })
        #expect(second.requests == [Self.readsConfiguration, "0a2200"])
    }

    @Test("on an encrypted link without a bond the subscription is lost every time")
    func withoutBond() async throws {
        let (first, second) = try await LampBench.run(LinkSecurity(isEncrypted: true, keySize: 16)) { bench in
            (try await bench.readLabel(), try await bench.readLabel())
        }
        #expect(first.value == [1] && second.value == [1])
        #expect(second.requests.first == Self.readsConfiguration)
        #expect(second.requests.contains(Self.subscribes) && second.requests.contains { $0.hasPrefix("08") })
    }

    @Test(
        "on an unencrypted link the cache is neither used nor written",
        arguments: [LinkSecurity.none, LinkSecurity(hasBond: true)]
    )
    func withoutEncryption(security: LinkSecurity) async throws {
        let store = MemoryStore()
        _ = try await LampBench.run(store: store) { try await $0.readLabel() }
        let (first, second) = try await LampBench.run(security, store: store) { bench in
            (try await bench.readLabel(), try await bench.readLabel())
        }
        for run in [first, second] {
            #expect(run.value == [1])
            #expect(!run.requests.contains(Self.readsConfiguration) && !run.requests.contains(Self.subscribes))
            #expect(run.requests.contains { $0.hasPrefix("08") })
        }
        #expect(store.load(Lamp.address) == StoredDatabase(hash: nil))
    }

    @Test("a device without Service Changed is discovered again each time")
    func silent() async throws {
        let store = MemoryStore()
        let (first, second) = try await LampBench.run(tellsChanges: false, store: store) { bench in
            (try await bench.readLabel(), try await bench.readLabel())
        }
        #expect(first.value == [1] && second.value == [1])
        #expect(second.requests.contains { $0.hasPrefix("08") })
        #expect(store.load(Lamp.address) == StoredDatabase(hash: nil))
    }

    @Test("a device that indicates changes for the cache is not asked again for observers")
    func observing() async throws {
        let (requests, seen) = try await LampBench.run { bench in
            let (seen, requests) = try await bench.program { peripheral in
                let observation = await peripheral.observation()
                try await observation.subscribe(to: peripheral.characteristic(Lamp.label))
                try await bench.time.sleep(for: .seconds(10))
                let sent = bench.sent.take()
                _ = try await peripheral.characteristic(Lamp.toggle).write([1])
                let event = try await observation.next()
                await observation.end()
                return (event.kind, sent)
            }.value
            return (requests, seen)
        }
        #expect(requests.count(where: { $0 == Self.subscribes }) == 1, "\(requests)")
        guard case .databaseChanged = seen else {
            Issue.record("\(seen)")
            return
        }
    }

    @Test(
        "whatever changes on the device between runs, reads return its present values",
        arguments: 1...30 as ClosedRange<UInt64>
    )
    func property(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let store = MemoryStore()
        for _ in 0..<3 {
            // A life of the device: it begins with the first database, and remembers no client.
            let toggles = (0..<6).map { _ in Int.random(in: 0...2, using: &generator) }
            let securities = [Lamp.bonded, Lamp.bonded, LinkSecurity(isEncrypted: true, keySize: 16), .none]
            let security = securities.randomElement(using: &generator) ?? .none
            let found = try await LampBench.run(security, store: store) { bench in
                var found: [[UInt8]] = []
                for count in toggles {
                    for _ in 0..<count { try await bench.toggle() }
                    found.append(try await bench.readLabel().value)
                }
                return found
            }
            var isMoved = false
            let expected = toggles.map { count -> [UInt8] in
                if !count.isMultiple(of: 2) { isMoved.toggle() }
                return [isMoved ? 2 : 1]
            }
            #expect(found == expected)
        }
    }
}
