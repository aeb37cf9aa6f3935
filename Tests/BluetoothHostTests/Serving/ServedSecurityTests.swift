// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import Synchronization
import Testing

@testable import BluetoothHost

/// Bonds in memory.
private final class KeptBonds: BondStore {
    struct Full: Error {}

    private let kept: Mutex<[Bond]>
    private let isReadOnly: Bool
    private let updates = Mutex(0)

    init(_ bonds: [Bond], isReadOnly: Bool = false) {
        kept = Mutex(bonds)
        self.isReadOnly = isReadOnly
    }

    var updateCount: Int { updates.withLock { $0 } }

    func bonds() throws -> [Bond] { kept.withLock { $0 } }

    func update(_ change: @Sendable ([Bond]) -> [Bond]) async throws {
        guard !isReadOnly else { throw Full() }
        updates.withLock { $0 += 1 }
        kept.withLock { $0 = change($0) }
    }
}

@Suite("The security of served links")
struct ServedSecurityTests {
    @Test func `a change of a link's security is reported before the request that it is for`() throws {
        let radio = ServingRadio()
        let diary = try PeripheralHostTests.serve(try PeripheralHostTests.device(), on: radio) { time, scope, _ in
            let channel = ScriptedChannel(time, scope) { _ in nil }
            radio.comes(channel)
            channel.push("0a 0300")
            try await time.sleep(for: .seconds(1))
            channel.become(LinkSecurity(isEncrypted: true, keySize: 16))
            channel.push("0a 0300")
            channel.push("0a 0300")
            try await time.sleep(for: .seconds(1))
        }
        let read = "1 \(ATTOpcode.readRequest)"
        let told = ["1 secured: encrypted with an unauthenticated key of 16 octets"]
        #expect(diary.filter { $0 == read || $0.contains("secured") } == [read] + told + [read, read])
    }

    @Test func `signatures are checked with the keys of bonds, and a replay is refused`() throws {
        let radio = ServingRadio(AdvertisingController())
        let key = SignatureResolvingKey(
            device: ManagementAddress(.scripted),
            kind: .unauthenticatedRemote,
            value: SecurityKey(0x0123_4567_89AB_CDEF_FEDC_BA98_7654_3210)
        )
        let bonds = KeptBonds([
            Bond(
                adapter: radio.adapter.address,
                device: DeviceAddress(DeviceAddress.scripted.address, DeviceAddress.scripted.type.connectionType),
                longTermKeys: [],
                signing: [.init(key: key)],
                since: WallTime(nanosecondsSince1970: 0)
            )
        ])
        let signatures = BondSignatures(bonds, of: radio.adapter.address)
        let diary = try PeripheralHostTests.serve(try PeripheralHostTests.device(), on: radio, signatures: signatures) {
            time,
            scope,
            _ in
            let channel = ScriptedChannel([], time, scope)
            radio.comes(channel)
            for pdu in [
                "d2 0300 2a 00000000 13ea2dee329f7a40", "d2 0300 2a 00000000 13ea2dee329f7a40",
                "d2 0300 2b 01000000 13ea2dee329f7a40",
            ] { channel.push(pdu) }
            try await time.sleep(for: .seconds(1))
        }
        #expect(diary.contains("1 \(ATTDiagnostic.signatureRefused(0x0003, .replayed))"))
        #expect(diary.contains("1 \(ATTDiagnostic.signatureRefused(0x0003, .wrong))"))
        #expect(diary.filter { $0 == "1 \(ATTOpcode.signedWriteCommand)" }.count == 3)
        #expect(try bonds.bonds().first?.signing.first?.counter == 1)
    }

    @Test func `a bonded central's subscriptions outlast its connections, and those of others do not`() throws {
        let central = DeviceAddress(DeviceAddress.scripted.address, DeviceAddress.scripted.type.connectionType)
        let bond = Bond(
            adapter: BluetoothAddress(rawValue: 0x0011_2233_4455),
            device: central,
            longTermKeys: [],
            since: WallTime(nanosecondsSince1970: 0)
        )
        for (bonds, kept) in [([bond], "0b0100"), ([], "0b0000")] {
            let radio = ServingRadio(AdvertisingController())
            let answers = Mutex<[String]>([])
            _ = try PeripheralHostTests.serve(
                try PeripheralHostTests.device(),
                on: radio,
                bonds: ServedBonds(bonds)
            ) { time, scope, _ in
                for requests in [["12 0400 0100"], ["0a 0400"]] {
                    let channel = ScriptedChannel(time, scope) { pdu in
                        answers.withLock { $0.append(Hex.string(pdu)) }
                        return nil
                    }
                    channel.become(LinkSecurity(isEncrypted: true, keySize: 16))
                    radio.comes(channel)
                    for request in requests { channel.push(request) }
                    try await time.sleep(for: .seconds(1))
                    channel.end(.closedByPeer(nil))
                    try await time.sleep(for: .seconds(1))
                }
            }
            #expect(answers.withLock { $0 } == ["13", kept])
        }
    }

    // MARK: - From one run to the next

    private static let central = DeviceAddress(
        DeviceAddress.scripted.address,
        DeviceAddress.scripted.type.connectionType
    )

    private static let bond = Bond(
        adapter: BluetoothAddress(rawValue: 0x0011_2233_4455),
        device: central,
        longTermKeys: [],
        since: WallTime(nanosecondsSince1970: 0)
    )

    /// Service Changed has the configuration 0x0004, and a characteristic of that UUID the configuration 0x000C.
    private static func device(_ uuid: BluetoothUUID) throws -> DeviceImage {
        let value = CharacteristicDefinition(uuid, [.read, .notify], value: .fixed([1]))
        return DeviceImage(
            name: "device",
            address: .scripted,
            advertising: [DeviceAdvertising(.connectable, interval: .milliseconds(100), data: [2, 1, 6])],
            database: try GATTDatabase(services: [
                .genericAttribute(), ServiceDefinition(0xFF00, characteristics: [value]),
            ])
        )
    }

    /// One run, in which the central comes once, encrypted, and sends these PDUs. Returns what it gets, and the diary.
    private static func run(
        _ uuid: BluetoothUUID,
        _ bonds: KeptBonds,
        _ requests: [String],
        whileServed: @escaping @Sendable () -> Void = {}
    ) throws -> (answers: [String], diary: [String]) {
        let radio = ServingRadio(AdvertisingController())
        let answers = Mutex<[String]>([])
        let diary = try PeripheralHostTests.serve(
            try device(uuid),
            on: radio,
            bonds: ServedBonds(try bonds.bonds()),
            memories: PersistedClients(bonds, of: radio.adapter.address)
        ) { time, scope, _ in
            let channel = ScriptedChannel(time, scope) { pdu in
                answers.withLock { $0.append(Hex.string(pdu)) }
                return nil
            }
            channel.become(LinkSecurity(isEncrypted: true, keySize: 16))
            radio.comes(channel)
            try await time.sleep(for: .seconds(1))
            for request in requests { channel.push(request) }
            try await time.sleep(for: .seconds(1))
            whileServed()
        }
        return (answers.withLock { $0 }, diary)
    }

    @Test func `a bonded central's subscriptions are stored at once, and outlast the program`() throws {
        let bonds = KeptBonds([Self.bond])
        let whileServed = Mutex<Bond?>(nil)
        let first = try Self.run(0xFF01, bonds, ["12 0c00 0100"]) {
            whileServed.withLock { $0 = try? bonds.bonds().first }
        }
        #expect(first.answers == ["13"])
        #expect(whileServed.withLock { $0?.memory?.subscriptions.map(\.descriptor) } == [0x000C])
        let count = bonds.updateCount
        #expect(try Self.run(0xFF01, bonds, ["0a 0c00"]).answers == ["0b0100"])
        #expect(bonds.updateCount == count, "nothing has changed, so nothing is written")
        #expect(try Self.run(0xFF01, bonds, ["12 0c00 0000"]).answers == ["13"])
        #expect(try Self.run(0xFF01, bonds, ["0a 0c00"]).answers == ["0b0000"])
    }

    @Test func `a central without a bond leaves nothing`() throws {
        let bonds = KeptBonds([])
        #expect(try Self.run(0xFF01, bonds, ["12 0c00 0100"]).answers == ["13"])
        #expect(try bonds.bonds().isEmpty && bonds.updateCount == 0)
        #expect(try Self.run(0xFF01, bonds, ["0a 0c00"]).answers == ["0b0000"])
    }

    @Test func `a bonded central is informed once of a database that changed between two runs`() throws {
        let bonds = KeptBonds([Self.bond])
        #expect(try Self.run(0xFF01, bonds, ["12 0400 0200", "12 0c00 0100"]).answers == ["13", "13"])
        #expect(try Self.run(0xFF01, bonds, []).answers.isEmpty)
        let told = "1d03000100ffff"
        #expect(try Self.run(0xFF02, bonds, []).answers == [told])
        #expect(try Self.run(0xFF02, bonds, ["1e"]).answers == [told], "it had not confirmed it")
        #expect(try Self.run(0xFF02, bonds, ["0a 0c00"]).answers == ["0b0000"])
    }

    @Test func `a bond that was removed meanwhile stores nothing, and a new one begins empty`() throws {
        let bonds = KeptBonds([Self.bond])
        #expect(try Self.run(0xFF01, bonds, ["12 0c00 0100"]).answers == ["13"])
        let kept = try #require(try bonds.bonds().first)
        #expect(kept.memory != nil)
        let memories = PersistedClients(KeptBonds([]), of: kept.adapter)
        memories.remember(try PersistedClients(bonds, of: kept.adapter).memories())
        #expect(try memories.memories().isEmpty)
        #expect(try PersistedClients(bonds, of: BluetoothAddress(rawValue: 1)).memories().isEmpty, "another adapter")
    }

    @Test func `an unwritable store is reported once, and serving goes on`() throws {
        let bonds = KeptBonds([Self.bond], isReadOnly: true)
        let run = try Self.run(0xFF01, bonds, ["12 0c00 0100", "12 0c00 0000", "12 0c00 0100"])
        #expect(run.answers == ["13", "13", "13"])
        let remarks = run.diary.filter { $0.contains("subscriptions of bonded centrals cannot be kept") }
        #expect(remarks.count == 1, "\(run.diary)")
    }

    // MARK: - More than there is room for

    @Test func `a bond keeps 1,024 subscriptions, and the others are counted`() async throws {
        let subscriptions = (UInt16(0)..<1_030).map { number -> GATTServer.KeptSubscription in
            let value: UInt16 = number * 3 + 3
            return GATTServer.KeptSubscription(
                descriptor: Handle(value + 1),
                value: Handle(value),
                service: 0xFF00,
                characteristic: 0xFF01,
                configuration: .notification
            )
        }
        let memory = GATTServer.ClientState(
            databaseHash: [UInt8](repeating: 1, count: 16),
            subscriptions: subscriptions
        )
        let bonds = KeptBonds([Self.bond])
        let memories = PersistedClients(bonds, of: Self.bond.adapter)
        memories.remember([Self.central: memory])
        try await memories.save()
        let kept = try #require(try bonds.bonds().first?.memory?.subscriptions)
        #expect(kept == Array(subscriptions.prefix(1_024)) && memories.droppedCount == 6)
        memories.remember([Self.central: GATTServer.ClientState(databaseHash: memory.databaseHash)])
        #expect(memories.droppedCount == 0, "there is room again")
    }

    /// Has less and less room.
    private final class CrowdedMemories: ClientMemories {
        private let counts: Mutex<[Int]>

        init(_ counts: [Int]) { self.counts = Mutex(counts) }

        var droppedCount: Int { counts.withLock { $0.first ?? 0 } }

        func memories() throws -> [DeviceAddress: GATTServer.ClientState] { [:] }

        func remember(_ memories: [DeviceAddress: GATTServer.ClientState]) {
            counts.withLock { if $0.count > 1 { $0.removeFirst() } }
        }

        func save() async throws {}
    }

    @Test func `subscriptions without room are reported whenever their number changes`() throws {
        let radio = ServingRadio(AdvertisingController())
        let diary = try PeripheralHostTests.serve(
            try Self.device(0xFF01),
            on: radio,
            bonds: ServedBonds([Self.bond]),
            memories: CrowdedMemories([0, 0, 1, 1, 7])
        ) { time, scope, _ in
            let channel = ScriptedChannel(time, scope) { _ in nil }
            channel.become(LinkSecurity(isEncrypted: true, keySize: 16))
            radio.comes(channel)
            for configuration in ["0100", "0000", "0100", "0000", "0100"] {
                channel.push("12 0c00 " + configuration)
                try await time.sleep(for: .seconds(1))
            }
        }
        let remarks = diary.filter { $0.contains("will be lost at the end") }
        let expected = ["1 subscription of bonded centrals", "7 subscriptions of bonded centrals"]
        #expect(remarks.count == 2 && zip(remarks, expected).allSatisfy { $0.contains($1) }, "\(diary)")
    }
}
