// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import Testing

extension Manners {
    /// Ends every service at 0xFFFF.
    static let endless = Manners { turn in
        turn.changed { pdu in
            switch pdu.first {
            case 0x07: pdu.prefix(1) + strides(of: pdu.dropFirst(), 4).flatMap { $0.prefix(2) + [0xFF, 0xFF] }
            case 0x11:
                pdu.prefix(2)
                    + strides(of: pdu.dropFirst(2), Int(pdu[1])).flatMap {
                        $0.prefix(2) + [0xFF, 0xFF] + $0.dropFirst(4)
                    }
            default: pdu
            }
        }
    }

    /// Stores 16-bit UUIDs of services and characteristics with 128 bits, and compares octets.
    static let long = Manners { turn in
        switch (turn.opcode, turn.request.count) {
        case (Opcode.findByTypeValue, 9):
            return [.send([Opcode.error, turn.opcode] + turn.request[1...2] + [0x0A])]
        case (Opcode.readByType, 7) where ![[0x02, 0x28], [0x03, 0x28]].contains(turn.request.suffix(2)):
            return [.send([Opcode.error, turn.opcode] + turn.request[1...2] + [0x0A])]
        default:
            // As many as fit into an answer of 100 octets.
            return turn.changed { pdu in
                switch (pdu.first, pdu.dropFirst().first) {
                case (0x11, 6): [0x11, 20] + strides(of: pdu.dropFirst(2), 6).prefix(4).flatMap(lengthened)
                case (0x09, 7) where turn.request.suffix(2) == [0x03, 0x28]:
                    [0x09, 21] + strides(of: pdu.dropFirst(2), 7).prefix(4).flatMap(lengthened)
                default: pdu
                }
            }
        }
    }

    /// The octets in pieces of one length.
    private static func strides(of octets: ArraySlice<UInt8>, _ length: Int) -> [[UInt8]] {
        stride(from: octets.startIndex, to: octets.endIndex, by: length).map {
            Array(octets[$0..<min($0 + length, octets.endIndex)])
        }
    }

    /// A list entry with the 16-bit UUID at its end in 128 bits.
    private static func lengthened(_ entry: [UInt8]) -> [UInt8] {
        let base: [UInt8] = [0xFB, 0x34, 0x9B, 0x5F, 0x80, 0x00, 0x00, 0x80, 0x00, 0x10, 0x00, 0x00]
        return Array(entry.prefix(entry.count - 2)) + base + Array(entry.suffix(2)) + [0, 0]
    }

    /// Refuses a request with that code if it asks up to 0xFFFF.
    static func refusingTheEnd(of opcode: UInt8, _ code: UInt8) -> Manners {
        on(opcode) { turn in
            guard turn.request[3...4] == [0xFF, 0xFF] else { return turn.acts }
            return [.send([Opcode.error, opcode] + turn.request[1...2] + [code])]
        }
    }

    /// Values of a handle, one every 50 ms. Later answers come after them.
    static func values(of handle: UInt8) -> [Act] {
        (0..<200).flatMap { _ in [Act.pause(milliseconds: 50), .send([Opcode.notification, handle, 0, 0x2A])] }
    }
}

/// Devices of the field that break a rule, with what a user has to get from them nevertheless.
@Suite("Devices that break one rule", .startsPrograms())
struct RuleBreakingDeviceTests {
    private func run(
        _ manners: Manners,
        _ arguments: String...,
        input: [UInt8] = []
    ) async throws -> (BlectlRun, ScriptedPeer) {
        try await ScriptedPeer.run(manners) { peer in
            (try await Blectl.run(peer.arguments + arguments + ["--timeout", "30"], input: input), peer)
        }
    }

    private func requests(_ peer: ScriptedPeer) -> [UInt8] { peer.received.compactMap(\.first) }

    // MARK: - Shortcuts

    @Test func `a service that is said to end at 0xFFFF lends no characteristic of another one to a read`() async throws
    {
        let (run, _) = try await run(.endless, "read", "heart-rate/battery-level")
        #expect(run.status == 68, "\(run.stdout)\(run.stderr)")
        #expect(run.stderr.contains("no characteristic Battery Level (0x2A19) in service Heart Rate"), "\(run.stderr)")
        let (right, peer) = try await self.run(.endless, "read", "battery/battery-level", "--as", "hex")
        #expect(right.stdout == "57\n", "\(right.stderr)")
        // The search, the look at what follows, and the read.
        #expect(requests(peer).filter { $0 != Opcode.mtu }.count == 3)
    }

    @Test func `a service that is said to end at 0xFFFF lends no characteristic of another one to a write`()
        async throws
    {
        let (run, peer) = try await run(.endless, "write", "battery/\(ModelDevice.writable)", "0102")
        #expect(run.status == 68, "\(run.stderr)")
        #expect(!requests(peer).contains(Opcode.write))
        let (notified, other) = try await self.run(.endless, "notify", "heart-rate/battery-level", "--count", "1")
        #expect(notified.status == 68, "\(notified.stderr)")
        #expect(!requests(other).contains(Opcode.write))
    }

    @Test func `short UUIDs that are stored in the long form are found`() async throws {
        for target in ["battery-level", "battery/battery-level", "0x2A19"] {
            let (run, _) = try await run(.long, "read", target, "--as", "hex")
            #expect(run.stdout == "57\n", "\(target): \(run.stderr)")
        }
        let (watched, _) = try await run(.long, "watch", "heart-rate", "--count", "1")
        #expect(watched.status == 0 && watched.stdout.contains("72"), "\(watched.stderr)")
        let (written, peer) = try await run(.long, "write", "heart-rate/heart-rate-control-point", "01")
        #expect(written.status == 0 && requests(peer).contains(Opcode.write), "\(written.stderr)")
    }

    @Test func `a write that fits two characteristics in the long form is refused`() async throws {
        let writable = CharacteristicDefinition(0x2A39, .write, value: .variable([]))
        var manners = Manners.long
        manners.services = [
            ServiceDefinition(0x180D, characteristics: [writable]),
            ServiceDefinition(0x180F, characteristics: [writable]),
        ]
        let (run, peer) = try await run(manners, "write", "heart-rate-control-point", "01")
        #expect(run.status == 68 && run.stderr.contains("several attributes"), "\(run.stderr)")
        #expect(!requests(peer).contains(Opcode.write))
    }

    @Test func `what is not there takes a discovery before it is denied`() async throws {
        let (run, peer) = try await run(.honest, "read", "0x2A6E")
        #expect(run.status == 68, "\(run.stderr)")
        #expect(peer.received.contains { $0.first == Opcode.readByType && $0.suffix(2) == [0x03, 0x28] })
        // A device that does not know the search by value has its services discovered.
        let refuses = Manners.answer(Opcode.findByTypeValue, with: [1, Opcode.findByTypeValue, 1, 0, 6])
        let (found, _) = try await self.run(refuses, "read", "battery/battery-level", "--as", "hex")
        #expect(found.stdout == "57\n", "\(found.stderr)")
    }

    @Test func `plain reads and writes take the requests that they have always taken`() async throws {
        let (_, plain) = try await run(.honest, "read", "battery-level")
        #expect(requests(plain) == [Opcode.readByType])
        let (_, named) = try await run(.honest, "read", "battery/battery-level")
        #expect(requests(named) == [Opcode.findByTypeValue, Opcode.readByType])
        let (_, written) = try await run(.honest, "write", "heart-rate/heart-rate-control-point", "01")
        #expect(
            requests(written) == [
                Opcode.findByTypeValue, Opcode.mtu, Opcode.readByType, Opcode.readByType, Opcode.write,
            ]
        )
    }

    // MARK: - Discovery

    @Test func `services that all end at 0xFFFF are shown as they lie, with a remark`() async throws {
        let (honest, _) = try await run(.honest, "inspect", "--json")
        let (run, _) = try await run(.endless, "inspect", "--json")
        #expect(run.status == 0 && run.stderr.contains("overlap"), "\(run.stderr)")
        let tree = { (run: BlectlRun) in
            try run.records().map { $0.withoutTime.filter { !["end_handle", "included_end_handle"].contains($0.key) } }
        }
        let isSame = try tree(run) == tree(honest)
        #expect(isSame, "\(run.stdout)\ninstead of\n\(honest.stdout)")
    }

    @Test(arguments: [0x01, 0x0A, 0x0E] as [UInt8])
    func `descriptors are searched in the service where a search up to 0xFFFF is refused`(_ code: UInt8) async throws {
        let manners = Manners.refusingTheEnd(of: Opcode.findInformation, code)
        // The last characteristic of the database, so that nothing shows where its descriptors end.
        var last = manners
        last.services = [
            .genericAccess(name: "Model"),
            ServiceDefinition(0x180F, characteristics: [CharacteristicDefinition(0x2A19, .notify, value: .fixed([7]))]),
        ]
        let (run, _) = try await run(last, "notify", "battery-level", "--count", "3", "--as", "hex")
        #expect(run.status == 0 && run.stdout.split(separator: "\n").count == 3, "\(run.stderr)")
    }

    @Test func `characteristics are searched in the services where a search up to 0xFFFF is refused`() async throws {
        let manners = Manners.refusingTheEnd(of: Opcode.readByType, 0x01)
        let (run, peer) = try await run(manners, "write", "heart-rate-control-point", "01")
        #expect(run.status == 0 && requests(peer).contains(Opcode.write), "\(run.stderr)")
    }

    @Test func `an empty database is called one`() async throws {
        let (run, _) = try await run(.having([]), "inspect")
        #expect(run.status == 0 && run.stderr.contains("has no services"), "\(run.stderr)")
    }

    @Test func `inspect marks a value that the device has cut, as read does`() async throws {
        let endless = Manners.on(Opcode.readBlob) { _ in [.send([0x0D] + [UInt8](repeating: 7, count: 99))] }
        let (run, _) = try await run(endless, "inspect", "--values")
        #expect(run.status == 0)
        #expect(run.stderr.contains("may be cut: the device gave only 512 octets of it"), "\(run.stderr)")
    }

    // MARK: - The exchange of the MTU

    @Test func `a device that hangs up on the exchange of the MTU is inspected without it`() async throws {
        let (honest, _) = try await run(.honest, "inspect", "--values", "--json")
        let (run, peer) = try await run(.on(Opcode.mtu) { _ in [.close] }, "inspect", "--values", "--json")
        #expect(run.status == 0 && run.stderr.contains("hung up on the exchange of the MTU"), "\(run.stderr)")
        let isSame = try run.records().map(\.withoutTime) == honest.records().map(\.withoutTime)
        #expect(isSame, "\(run.stdout)")
        #expect(peer.connectionCount == 3)
        let exchanges = peer.passed.filter { $0.bytes.first == Opcode.mtu }.map(\.connection)
        #expect(exchanges == [0, 1], "the second time after another answer")
    }

    @Test(arguments: [
        ["inspect"], ["notify", "battery-level", "--count", "1"], ["watch", "heart-rate", "--count", "1"],
    ])
    func `a device that never answers the exchange of the MTU is used without it`(_ arguments: [String]) async throws {
        let (run, peer) = try await ScriptedPeer.run(.on(Opcode.mtu) { _ in [] }) { peer in
            (try await Blectl.run(peer.arguments + arguments + ["--timeout", "5"]), peer)
        }
        #expect(run.status == 0, "\(run.stderr)")
        #expect(run.stderr.contains("has not answered the exchange of the MTU within 2 s"), "\(run.stderr)")
        #expect(peer.connectionCount == 2)
    }

    @Test func `a long write to a device that hangs up on the exchange is written once, in parts`() async throws {
        let value = String(repeating: "5a", count: 40)
        let (run, peer) = try await run(
            .on(Opcode.mtu) { _ in [.close] },
            "write",
            "\(ModelDevice.long)",
            value
        )
        #expect(run.status == 0, "\(run.stderr)")
        #expect(peer.received.count { $0 == [Opcode.executeWrite, 1] } == 1)
    }

    // MARK: - Values without a subscription

    private static let notifying = BluetoothUUID(0x2A19)
    /// Generic Access takes the handles 1 to 5, so that the value has handle 8 and its configuration 9.
    private static let services: [ServiceDefinition] = [
        .genericAccess(name: "Model"),
        ServiceDefinition(0x180F, characteristics: [CharacteristicDefinition(notifying, .notify, value: .fixed([7]))]),
    ]

    /// Has no configuration, and sends as soon as the search for one has ended, with the secondary services.
    private static func withoutConfiguration() -> Manners {
        var manners = Manners { turn in
            switch turn.opcode {
            case Opcode.findInformation: turn.changed { $0.replacing([0x02, 0x29], with: [0x02, 0x2B]) }
            case Opcode.readByGroupType where turn.request.suffix(2) == [0x01, 0x28]: turn.acts + Manners.values(of: 8)
            default: turn.acts
            }
        }
        manners.services = services
        return manners
    }

    /// Refuses the write of the configuration, and sends, also before the refusal.
    private static func refusing() -> Manners {
        var manners = Manners.on(Opcode.write, 0) { _ in
            (0..<5).map { _ in .send([Opcode.notification, 8, 0, 0x2A]) } + [.send([1, Opcode.write, 9, 0, 3])]
                + Manners.values(of: 8)
        }
        manners.services = services
        return manners
    }

    @Test func `values of a characteristic without a configuration are listened to, if that is wanted`() async throws {
        let arguments = ["notify", "battery-level", "--count", "3", "--as", "hex"]
        let (refused, _) = try await ScriptedPeer.run(Self.withoutConfiguration()) { peer in
            (try await Blectl.run(peer.arguments + arguments), peer)
        }
        #expect(refused.status == 68 && refused.stderr.contains("hint: --listen"), "\(refused.stderr)")
        let (run, peer) = try await ScriptedPeer.run(Self.withoutConfiguration()) { peer in
            (try await Blectl.run(peer.arguments + arguments + ["--listen"]), peer)
        }
        #expect(run.status == 0 && run.stdout.split(separator: "\n").count == 3, "\(run.stderr)")
        #expect(run.stderr.contains("listening to what it sends without being asked"), "\(run.stderr)")
        #expect(!requests(peer).contains(Opcode.write))
    }

    @Test func `values of a characteristic that refuses its configuration are listened to, if that is wanted`()
        async throws
    {
        let arguments = ["notify", "battery-level", "--count", "3", "--as", "hex"]
        // Five values have come before the refusal, more than are wanted. The refusal is the end nevertheless.
        let refused = try await ScriptedPeer.run(Self.refusing()) { try await Blectl.run($0.arguments + arguments) }
        #expect(refused.status == 76 && refused.stdout.isEmpty, "\(refused.stdout)")
        #expect(refused.stderr.contains("0x03") && refused.stderr.contains("hint: --listen"), "\(refused.stderr)")
        let run = try await ScriptedPeer.run(Self.refusing()) { peer in
            try await Blectl.run(peer.arguments + arguments + ["--listen"])
        }
        #expect(run.status == 0 && run.stdout.split(separator: "\n").count == 3, "\(run.stderr)")
        #expect(run.stderr.contains("0x03") && run.stderr.contains("listening"), "\(run.stderr)")
    }

    @Test func `watch reads a value now and then that has no configuration`() async throws {
        var manners = Manners.on(Opcode.findInformation) { turn in
            turn.changed { $0.replacing([0x02, 0x29], with: [0x02, 0x2B]) }
        }
        manners.services = [
            ServiceDefinition(
                0x180F,
                characteristics: [CharacteristicDefinition(0x2A19, [.read, .notify], value: .fixed([7]))]
            )
        ]
        let (run, _) = try await run(manners, "watch", "battery", "--count", "3", "--period", "100ms")
        #expect(run.status == 0, "\(run.stderr)")
        #expect(run.stdout.split(separator: "\n").count { $0.contains("7") } == 3, "\(run.stdout)")
    }

    // MARK: - Writes and errors

    @Test func `a device without prepared writes is written to in pieces, as the hint says`() async throws {
        let manners = Manners.on(Opcode.prepareWrite) { turn in [.send([1, turn.opcode] + turn.request[1...2] + [6])] }
        let value = String(repeating: "5a", count: 120)
        let (run, _) = try await run(manners, "write", "\(ModelDevice.long)", value)
        #expect(run.status == 76 && run.stderr.contains("hint: --chunk 20 "), "\(run.stderr)")
        let (pieces, peer) = try await self.run(
            manners,
            "write",
            "\(ModelDevice.long)",
            "-",
            "--chunk",
            "20",
            input: [UInt8](repeating: 0x5A, count: 120)
        )
        #expect(pieces.status == 0 && requests(peer).count { $0 == Opcode.write } == 6, "\(pieces.stderr)")
    }

    @Test func `an application error has the words of its service in every command`() async throws {
        let words = "Heart Rate: control point not supported"
        let reads = Manners { turn in
            [Opcode.read, Opcode.readByType].contains(turn.opcode) && turn.request.suffix(2) != [0x03, 0x28]
                && turn.request.suffix(2) != [0x02, 0x28] && turn.request.suffix(2) != [0x2A, 0x2B]
                ? [.send([1, turn.opcode, Self.location, 0, 0x80])] : turn.acts
        }
        let writes = Manners.on(Opcode.write) { turn in
            [.send([1, turn.opcode] + turn.request[1...2] + [0x80])]
        }
        let commands: [(Manners, [String])] = [
            (reads, ["read", "body-sensor-location"]), (reads, ["read", "heart-rate/body-sensor-location"]),
            (reads, ["read", "handle:0x\(Hex.string([Self.location]))"]),
            (writes, ["write", "heart-rate-control-point", "07"]),
            (writes, ["write", "handle:0x00\(Hex.string([Self.location]))", "07"]),
            (writes, ["notify", "heart-rate-measurement", "--count", "1"]),
            (writes, ["notify", "heart-rate-measurement", "battery-level", "--count", "1", "--duration", "1"]),
            (writes, ["watch", "heart-rate", "--count", "1"]),
            (writes, ["profile", "heart-rate", "reset-energy"]),
        ]
        for (manners, arguments) in commands {
            let (run, _) = try await ScriptedPeer.run(manners) { peer in
                (try await Blectl.run(peer.arguments + arguments + ["--json", "--timeout", "30"]), peer)
            }
            let errors = try run.records().filter { $0["type"] == .string("error") }
            #expect(errors.first?["att_error_name"] == .string(words), "\(arguments): \(run.stdout)\(run.stderr)")
            #expect(run.stderr.contains(words), "\(arguments): \(run.stderr)")
        }
        let tree = try await ScriptedPeer.run(reads) { try await Blectl.run($0.arguments + ["inspect", "--values"]) }
        #expect(tree.stdout.contains(words), "\(tree.stdout)\(tree.stderr)")
    }

    /// The handle of the value of Body Sensor Location: see `ModelDevice.services`.
    private static let location: UInt8 = 0x13

    // MARK: - Serial ports

    /// A serial port, and the handle that has to be written to.
    private static let ports: [(services: [ServiceDefinition], arguments: [String])] = [
        (serial(0xFFE0, [(0xFFE1, [.notify, .writeWithoutResponse])]), []),
        (serial(0xFFE0, [(0xFFE1, [.notify]), (0xFFE2, [.write])]), []),
        (serial(0xFFF0, [(0xFFF1, [.notify]), (0xFFF2, [.write])]), []),
        (serial(0xFFF0, [(0xFFF1, [.writeWithoutResponse]), (0xFFF2, [.notify])]), []),
        (serial(0x18F0, [(0x2AF0, [.notify]), (0x2AF1, [.write])]), []),
        (serial(0xABF0, [(0xABF1, [.write]), (0xABF2, [.notify])]), ["--rx", "0xABF1", "--tx", "0xABF0/0xABF2"]),
        (serial(0xABF0, [(0xABF1, [.notify, .write])]), ["--rx", "0xABF1"]),
    ]

    private static func serial(
        _ service: BluetoothUUID,
        _ characteristics: [(BluetoothUUID, CharacteristicProperties)]
    ) -> [ServiceDefinition] {
        [
            ServiceDefinition(
                service,
                characteristics: characteristics.map { uuid, properties in
                    let value: GATTAttribute.Storage =
                        properties.contains(.notify) ? .variable(Array("OK\n".utf8)) : .variable([])
                    return CharacteristicDefinition(uuid, properties, value: value)
                }
            )
        ]
    }

    @Test(arguments: ports.indices)
    func `a serial port of any make is a terminal`(_ index: Int) async throws {
        var manners = Manners.honest
        manners.services = Self.ports[index].services
        let (run, peer) = try await ScriptedPeer.run(manners) { peer in
            (
                try await Blectl.run(
                    peer.arguments + ["watch", "uart"] + Self.ports[index].arguments,
                    input: Array("AT\n".utf8)
                ), peer
            )
        }
        #expect(run.status == 0, "\(run.stderr)")
        // The device sends its value three times when it is subscribed to.
        #expect(run.stdout == "OK\nOK\nOK\n", "\(run.stdout)\(run.stderr)")
        #expect(peer.received.contains { $0.suffix(3) == Array("AT\n".utf8) })
    }

    @Test func `a device without a serial port is told so, with the way out`() async throws {
        let (run, _) = try await run(.honest, "watch", "uart", input: [])
        #expect(run.status == 68, "\(run.stderr)")
        #expect(run.stderr.contains("no serial port that blectl knows") && run.stderr.contains("--rx"), "\(run.stderr)")
    }
}
