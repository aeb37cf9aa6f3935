// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@testable import FirmwareUpdate

/// A device and a transfer to it, without I/O: what is lost on the way, comes twice, or never, is random.
private struct Way {
    enum Fate: CaseIterable { case lostPacket, lostAnswer, twice, cut, restart }

    var server: DFUServer
    var now = Instant.zero
    var random: TestGenerator
    let faults: Double
    private(set) var isInBootLoader: Bool
    private(set) var progress: [Int] = []
    private(set) var orders: [[UInt8]] = []
    private(set) var packets = 0
    private let control: BluetoothUUID
    private let data: BluetoothUUID

    init(_ configuration: DFUServer.Configuration, seed: UInt64 = 1, faults: Double = 0) {
        server = DFUServer(configuration)
        random = TestGenerator(seed: seed)
        self.faults = faults
        isInBootLoader = !configuration.hasBootLoader
        let isLegacy = configuration.format == .legacy
        control = isLegacy ? .legacyDFUControl : .secureDFUControl
        data = isLegacy ? .legacyDFUPacket : .secureDFUPacket
    }

    private mutating func fate() -> Fate? {
        Double.random(in: 0..<1, using: &random) < faults ? Fate.allCases.randomElement(using: &random) : nil
    }

    /// What the device does until nothing more is to happen; `nil` if the link has ended.
    private mutating func answers(_ first: [UpdateServerAction]) -> [[UInt8]]? {
        var (found, actions): ([[UInt8]], [UpdateServerAction]) = ([], first)
        while true {
            for action in actions {
                switch action {
                case .send(let octets, _): found.append(octets)
                case .restart(let time, let isBootLoader):
                    isInBootLoader = isBootLoader
                    now = now + time
                    server.disconnected()
                    return nil
                }
            }
            guard let deadline = server.deadline else { return found }
            now = max(now, deadline)
            actions = server.timerFired(now: now)
        }
    }

    /// Has the application start the boot loader.
    mutating func enter(_ format: DFUImage.Format) {
        guard !isInBootLoader else { return }
        let (place, order): (BluetoothUUID, [UInt8]) =
            format == .legacy
            ? (.legacyDFUControl, LegacyDFU.enterBootLoader) : (.buttonlessDFU, SecureDFU.enterBootLoader)
        _ = answers(server.written(order, to: place, now: now))
    }

    mutating func carry(_ image: DFUImage) -> DFUEnding? {
        var transfer: any DFUTransfer = image.format == .legacy ? LegacyDFU(image) : SecureDFU(image)
        enter(image.format)
        var queue = transfer.linkMade(packet: 244, now: now)
        for _ in 0..<100_000 {
            var arriving: [[UInt8]] = []
            var isLost = false
            for action in queue where !isLost {
                switch action {
                case .order(let octets):
                    orders.append(octets)
                    guard let answers = answers(server.written(octets, to: control, now: now)) else {
                        isLost = true
                        continue
                    }
                    arriving += answers
                case .packet(let octets):
                    packets += 1
                    let fate = fate()
                    if fate == .lostPacket { continue }
                    if fate == .cut || fate == .restart {
                        isLost = true
                        server.disconnected()
                        continue
                    }
                    guard var answers = answers(server.written(octets, to: data, now: now)) else {
                        isLost = true
                        continue
                    }
                    if fate == .lostAnswer { answers = [] }
                    arriving += fate == .twice ? answers + answers : answers
                case .progressed(let octets): progress.append(octets)
                case .reconnect:
                    server.disconnected()
                    isLost = true
                case .ended(let ending): return ending
                }
            }
            queue = []
            for octets in arriving {
                switch fate() {
                case .lostAnswer: continue
                case .twice: queue += transfer.received(octets, now: now) + transfer.received(octets, now: now)
                default: queue += transfer.received(octets, now: now)
                }
            }
            if isLost {
                queue = transfer.linkLost()
                if let ending = queue.lazy.compactMap({ if case .ended(let ending) = $0 { ending } else { nil } }).first
                {
                    return ending
                }
                enter(image.format)
                queue = transfer.linkMade(packet: 244, now: now)
            } else if queue.isEmpty {
                guard let deadline = transfer.deadline else { return nil }
                now = max(now, deadline)
                queue = transfer.timerFired(now: now)
            }
        }
        return nil
    }
}

@Suite("Firmware on its way to Nordic's boot loaders")
struct DFUTransferTests {
    @Test("Legacy DFU waits long for flash to be erased, and not for the receipt of a packet that got lost")
    func receiptLimit() throws {
        var transfer = LegacyDFU(try Self.image(.legacy))
        _ = transfer.linkMade(packet: 244, now: .zero)
        #expect(transfer.deadline == .zero + .seconds(60))
        let answers: [[UInt8]] = [[0x10, 1, 1], [0x10, 2, 1], [0x11, 200, 0, 0, 0]]
        for answer in answers { _ = transfer.received(answer, now: .zero) }
        #expect(transfer.octets == 200 && transfer.deadline == .zero + .seconds(15))
        #expect(transfer.timerFired(now: .zero + .seconds(15)) == [.order([6])])
    }

    private static func image(_ format: DFUImage.Format, length: Int = 10_000) throws -> DFUImage {
        let firmware = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 / 251) }
        return try DFUImage(format, .application, firmware: firmware, initPacket: packet(format, firmware))
    }

    /// An init packet of version 7, as the tools make it without a signature.
    private static func packet(_ format: DFUImage.Format, _ firmware: [UInt8]) -> [UInt8] {
        var writer = ByteWriter()
        if format == .legacy {
            writer.append([0x52, 0, 0xFF, 0xFF, 7, 0, 0, 0, 1, 0, 0xFE, 0xFF])
            writer.uint16(Checksum.crc16(firmware))
            return writer.bytes
        }
        func number(_ value: Int) -> [UInt8] {
            value < 0x80 ? [UInt8(value)] : [UInt8(value & 0x7F) | 0x80] + number(value >> 7)
        }
        let hash: [UInt8] = [0x08, 3, 0x12, 32] + SHA256.hash(firmware).reversed()
        let start: [UInt8] = [0x08, 7, 0x20, 0, 0x38] + number(firmware.count) + [0x42, UInt8(hash.count)] + hash
        let command: [UInt8] = [0x08, 1, 0x12, UInt8(start.count)] + start
        return [0x0A, UInt8(command.count)] + command
    }

    private static func configuration(
        _ format: DFUImage.Format,
        _ change: (inout DFUServer.Configuration) -> Void = { _ in }
    ) -> DFUServer.Configuration {
        var configuration = DFUServer.Configuration()
        configuration.format = format
        change(&configuration)
        return configuration
    }

    @Test("An application is replaced, and its version changes", arguments: DFUImage.Format.allCases)
    func update(_ format: DFUImage.Format) throws {
        let image = try Self.image(format)
        var way = Way(Self.configuration(format))
        #expect(way.carry(image) == .complete)
        #expect(way.server.revision == "7" && way.progress.last == image.firmware.count)
        if format == .secure {
            // One object after the other, and 244 octets in a packet.
            #expect(way.orders.count { $0.first == SecureDFU.Code.create } == 4)
            #expect(way.packets == 17 + 17 + 8 + 1)
        }
    }

    @Test("Packages of others' tools are taken", arguments: DFUImage.Format.allCases)
    func packages(_ format: DFUImage.Format) throws {
        let image = try DFUImage(
            format,
            .application,
            firmware: Vector.named("\(format.rawValue) application", in: "packages", "firmware"),
            initPacket: Vector.named("\(format.rawValue) application", in: "packages", "packet")
        )
        var way = Way(Self.configuration(format))
        #expect(way.carry(image) == .complete && way.server.revision == "7")
    }

    @Test("What is refused is said with the number", arguments: DFUImage.Format.allCases)
    func refusals(_ format: DFUImage.Format) throws {
        let image = try Self.image(format)
        var small = Way(Self.configuration(format) { $0.size = 5_000 })
        let tooLarge = format == .legacy ? DFURefusal.legacyTooLarge : .secure(extended: 13)
        #expect(small.carry(image) == .refused(tooLarge))
        var failing = Way(Self.configuration(format) { $0.faults = [UploadFault(offset: 5_000, effect: .refuse)] })
        #expect(failing.carry(image) == .refused(format == .legacy ? .legacyFailed : .secureFailed))
        #expect(small.server.revision == "1" && failing.server.revision == "1")
    }

    @Test("What is damaged or lost is sent again", arguments: DFUImage.Format.allCases)
    func repeated(_ format: DFUImage.Format) throws {
        let image = try Self.image(format)
        for effect in [UploadFault.Effect.damage, .lose, .restart] {
            for hasTwoBanks in [false, true] {
                var way = Way(
                    Self.configuration(format) {
                        $0.faults = [UploadFault(offset: 9_000, effect: effect)]
                        $0.hasTwoBanks = hasTwoBanks
                    }
                )
                #expect(way.carry(image) == .complete, "\(effect)")
                #expect(way.server.revision == "7")
                // Secure DFU goes on with the object, Legacy DFU begins anew.
                if format == .secure { #expect(way.packets < 43 + 20) }
            }
        }
    }

    @Test("A boot loader that has something of other firmware begins anew")
    func otherFirmware() throws {
        var way = Way(Self.configuration(.secure) { $0.faults = [UploadFault(offset: 9_000, effect: .refuse)] })
        #expect(way.carry(try Self.image(.secure, length: 20_000)) == .refused(.secureFailed))
        #expect(way.carry(try Self.image(.secure)) == .complete)
        #expect(way.server.revision == "7")
    }

    @Test(
        "Whatever happens on the way, a transfer ends, and what is complete runs",
        arguments: DFUImage.Format.allCases
    )
    func random(_ format: DFUImage.Format) throws {
        let image = try Self.image(format, length: 6_000)
        for probability in [0.001, 0.01, 0.1] {
            var complete = 0
            for seed in 0..<100 {
                var way = Way(
                    Self.configuration(format) { $0.hasTwoBanks = seed % 2 == 0 },
                    seed: UInt64(seed),
                    faults: probability
                )
                let ending = way.carry(image)
                #expect(ending != nil, "seed \(seed) does not end")
                if ending == .complete { complete += 1 }
                #expect(ending != .complete || way.server.revision == "7", "seed \(seed)")
                #expect(["1", "7"].contains(way.server.revision))
            }
            if probability < 0.005 { #expect(complete > 90) }
        }
    }

    @Test("Random answers never crash it, and it ends", arguments: DFUImage.Format.allCases)
    func hostile(_ format: DFUImage.Format) throws {
        let image = try Self.image(format, length: 2_000)
        for seed in 0..<200 {
            var random = TestGenerator(seed: UInt64(seed))
            var transfer: any DFUTransfer = format == .legacy ? LegacyDFU(image) : SecureDFU(image)
            var now = Instant.zero
            var queue = transfer.linkMade(packet: Int.random(in: 0...600, using: &random), now: now)
            var rounds = 0
            while !queue.contains(where: { if case .ended = $0 { true } else { false } }) {
                rounds += 1
                guard rounds < 5_000 else {
                    Issue.record("seed \(seed) does not end")
                    break
                }
                if queue.contains(.reconnect) || Int.random(in: 0..<50, using: &random) == 0 {
                    queue = transfer.linkLost()
                    if queue.isEmpty { queue = transfer.linkMade(packet: 20, now: now) }
                    continue
                }
                // Answers to what was ordered, with anything behind.
                let order = queue.lazy.compactMap { if case .order(let octets) = $0 { octets.first } else { nil } }.last
                var octets: [UInt8] = [
                    format == .legacy ? 16 : 0x60, order ?? UInt8.random(in: 0...12, using: &random),
                ]
                octets += [Int.random(in: 0..<4, using: &random) == 0 ? UInt8.random(in: 0...12, using: &random) : 1]
                octets += (0..<Int.random(in: 0...13, using: &random)).map { _ in
                    UInt8.random(in: 0...255, using: &random)
                }
                queue = transfer.received(octets, now: now)
                if queue.isEmpty, let deadline = transfer.deadline, Int.random(in: 0..<3, using: &random) == 0 {
                    now = max(now, deadline)
                    queue = transfer.timerFired(now: now)
                }
            }
        }
    }
}
