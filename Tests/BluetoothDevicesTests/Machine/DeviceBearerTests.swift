// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@testable import BluetoothDevices

/// Firmware that answers reads late: after a constant time, or after a random one.
private struct LateFirmware: DeviceFirmware {
    var random: SeededGenerator?

    mutating func read(_ request: GATTServer.ReadContext, _ device: inout DeviceContext) -> DeviceAnswer<[UInt8]> {
        let delay = random?.duration(below: .seconds(1)) ?? .seconds(1)
        device.answer(device.question, by: [UInt8(request.handle.rawValue)], after: delay)
        return .later
    }

    mutating func valueWritten(_ handle: Handle, _ device: inout DeviceContext) {
        guard device.database[handle]?.value == [1] else { return }
        device.replaceDatabase(with: DeviceBearerTests.other)
    }
}

@Suite("Enhanced bearers of a device")
struct DeviceBearerTests {
    private typealias BearerID = GATTServer.BearerID

    private static let client = GATTServer.ClientID(1)
    /// The bearer of the link, and two enhanced ones.
    private static let (link, first, second) = (BearerID(client), BearerID(client, 1), BearerID(client, 2))
    fileprivate static let writable = Handle(0x0019)

    /// Late values 0x000D and 0x000F, a long one 0x0011, two that are sent, 0x0013 and 0x0016, with their configurations
    /// behind them, and one that changes the database when it is written, 0x0019. Service Changed is configured by 0x0004, and
    /// Server Supported Features are 0x000A.
    private static let services: [ServiceDefinition] = [
        .genericAttribute(features: .enhancedATTBearer),
        ServiceDefinition(
            0xFF00,
            characteristics: [
                CharacteristicDefinition(0xFF01, .read, value: .application),
                CharacteristicDefinition(0xFF02, .read, value: .application),
                CharacteristicDefinition(0xFF03, .read, value: .fixed([UInt8](repeating: 7, count: 200))),
                CharacteristicDefinition(0xFF04, [.notify, .indicate], value: .fixed([1])),
                CharacteristicDefinition(0xFF05, .indicate, value: .fixed([2])),
                CharacteristicDefinition(0xFF06, .write, value: .variable([])),
            ]
        ),
    ]

    /// The same with a further service.
    fileprivate static var other: GATTDatabase {
        (try? GATTDatabase(services: services + [ServiceDefinition(0xFF10)])) ?? .empty
    }

    private var machine: DeviceMachine

    init() throws { machine = try Self.connected() }

    /// A device with one client, which has no enhanced bearers yet.
    private static func connected(
        _ faults: String...,
        random: SeededGenerator? = nil,
        latency: Duration = .zero
    ) throws -> DeviceMachine {
        var image = DeviceImage(
            name: "bearers",
            address: .scripted,
            advertising: [],
            database: try GATTDatabase(services: services),
            firmware: LateFirmware(random: random),
            faults: try faults.map { try FaultText(parsing: $0).rule }
        )
        image.responseLatency = latency
        var machine = DeviceMachine(image)
        _ = machine.connected(client, now: .zero)
        return machine
    }

    /// The PDUs that are sent, each with the number of its bearer, and what ends.
    private func said(_ actions: [DeviceMachine.Action]) -> [String] {
        actions.compactMap { action in
            switch action {
            case .send(let bearer, let bytes): "\(bearer.number) \(Hex.string(bytes))"
            case .close(let bearer): "\(bearer.number) closed"
            case .hangUp(_, let reason): "hung up: \(reason)"
            case .report(.odd(_, let diagnostic)): "odd: \(diagnostic)"
            case .report: nil
            }
        }
    }

    private mutating func send(_ hex: String, _ bearer: GATTServer.BearerID, at seconds: Double = 0) -> [String] {
        said(machine.pduReceived(octets(hex), from: bearer, now: .zero + .seconds(seconds)))
    }

    private mutating func open(_ mtus: UInt16...) {
        for mtu in mtus { #expect(machine.bearerOpened(by: Self.client, mtu: mtu) != nil) }
    }

    // MARK: - Opening and end

    @Test mutating func `a client has five enhanced bearers at most, of 64 octets at least`() {
        #expect(machine.bearerOpened(by: Self.client, mtu: 63) == nil)
        #expect(machine.bearerOpened(by: GATTServer.ClientID(2), mtu: 64) == nil)
        for number in 1...5 as ClosedRange<UInt8> {
            #expect(machine.bearerOpened(by: Self.client, mtu: 64) == BearerID(Self.client, number))
        }
        #expect(machine.bearerOpened(by: Self.client, mtu: 64) == nil)
        #expect(said(machine.bearerClosed(Self.second, now: .zero)).isEmpty)
        #expect(machine.bearerOpened(by: Self.client, mtu: 64) == Self.second)
        // The bearer of the link ends with it.
        #expect(machine.bearerClosed(Self.link, now: .zero).isEmpty)
        #expect(send("0a 1100", Self.link) == ["0 0b" + String(repeating: "07", count: 22)])
    }

    @Test mutating func `the end of a bearer drops its request, and the end of the link drops everything`() {
        open(64, 64)
        for bearer in [Self.link, Self.first, Self.second] { #expect(send("0a 0d00", bearer).isEmpty) }
        #expect(machine.waitingRequests == 3 && machine.replyCount == 3)
        #expect(said(machine.bearerClosed(Self.first, now: .zero)).isEmpty)
        #expect(machine.waitingRequests == 2 && machine.replyCount == 2)
        #expect(send("0a 0d00", Self.first).isEmpty)
        #expect(said(machine.timerFired(now: .zero + .seconds(1))) == ["0 0b0d", "2 0b0d"])
        #expect(send("0a 0d00", Self.second, at: 1).isEmpty)
        #expect(machine.disconnected(Self.client, now: .zero + .seconds(1)).isEmpty)
        #expect(machine.bearers.isEmpty && machine.replyCount == 0 && machine.waitingRequests == 0)
        #expect(machine.heldCount == 0)
    }

    @Test mutating func `a device tells of bearers only where they can be opened`() {
        #expect(machine.hasEnhancedBearers)
        #expect(send("0a 0a00", Self.link) == ["0 0b01"])
        machine.withholdEnhancedBearers()
        #expect(send("0a 0a00", Self.link) == ["0 0b00"])
        _ = send("12 1900 01", Self.link)
        #expect(machine.database.services.count == 3 && !machine.hasEnhancedBearers)
        #expect(send("0a 0a00", Self.link) == ["0 0b00"])
    }

    // MARK: - Requests

    @Test mutating func `each bearer has an MTU of its own, which is exchanged on that of the link only`() {
        open(64, 100)
        for (bearer, length) in [(Self.link, 22), (Self.first, 63), (Self.second, 99)] {
            #expect(send("0a 1100", bearer) == ["\(bearer.number) 0b" + String(repeating: "07", count: length)])
        }
        #expect(send("02 0502", Self.first) == ["1 0102000006"])
        #expect(send("0a 1100", Self.first) == ["1 0b" + String(repeating: "07", count: 63)])
        #expect(machine.mtu(of: Self.client) == 23)
    }

    @Test mutating func `a request waits for no other bearer`() {
        open(64)
        #expect(send("0a 0d00", Self.first).isEmpty)
        #expect(send("0a 1900", Self.link) == ["0 010a190002"])
        #expect(send("0a 0a00", Self.first) == ["odd: \(ATTDiagnostic.pipelinedRequest(.readRequest))"])
        #expect(said(machine.timerFired(now: .zero + .seconds(1))) == ["1 0b0d", "1 0b01"])
    }

    @Test mutating func `subscriptions and prepared writes are the client's`() {
        open(64)
        #expect(send("12 1400 0100", Self.first) == ["1 13"])
        #expect(send("0a 1400", Self.link) == ["0 0b0100"])
        #expect(send("16 1900 0000 aa", Self.link) == ["0 1719000000aa"])
        #expect(send("16 1900 0100 bb", Self.first) == ["1 1719000100bb"])
        #expect(send("18 01", Self.first) == ["1 19"])
        #expect(machine.database[Self.writable]?.value == [0xAA, 0xBB])
    }

    @Test func `answers of any bearers come in the order of the requests on each`() throws {
        for seed in 0..<40 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            var machine = try Self.connected(random: SeededGenerator(seed: seed + 1_000))
            let count = 1 + random.next() % 5
            for _ in 0..<count { #expect(machine.bearerOpened(by: Self.client, mtu: 64) != nil) }
            let bearers = machine.bearers.keys.sorted()
            let (late, prompt) = (["0d00", "0f00"], "0a00")
            var asked: [BearerID: [String]] = [:]
            var got: [BearerID: [String]] = [:]
            var now = Instant.zero
            func take(_ actions: [DeviceMachine.Action]) {
                for case .send(let bearer, let bytes) in actions { got[bearer, default: []].append(Hex.string(bytes)) }
            }
            for _ in 0..<200 {
                let bearer = bearers[Int(random.next() % UInt64(bearers.count))]
                let waiting = (asked[bearer]?.count ?? 0) - (got[bearer]?.count ?? 0)
                if random.happens(0.6), waiting < 8 {
                    let handle = random.happens(0.3) ? prompt : late[Int(random.next() % 2)]
                    asked[bearer, default: []].append("0b" + (handle == prompt ? "01" : String(handle.prefix(2))))
                    take(machine.pduReceived(octets("0a" + handle), from: bearer, now: now))
                } else {
                    now = now + random.duration(below: .milliseconds(400))
                    take(machine.timerFired(now: now))
                }
            }
            while let next = machine.nextDeadline {
                now = max(now, next)
                take(machine.timerFired(now: now))
            }
            #expect(got == asked, "seed \(seed)")
        }
    }

    @Test mutating func `pauses, latency and faults hold the answers of each bearer`() throws {
        open(64)
        machine.pause()
        #expect(send("0a 0a00", Self.link).isEmpty && send("0a 1900", Self.first).isEmpty)
        #expect(said(machine.release(now: .zero)) == ["0 0b01", "1 010a190002"])
        machine.pause()
        _ = send("0a 0a00", Self.first)
        _ = machine.bearerClosed(Self.first, now: .zero)
        #expect(said(machine.release(now: .zero)).isEmpty)

        machine = try Self.connected(latency: .seconds(2))
        open(64)
        #expect(send("0a 0a00", Self.first).isEmpty && send("0a 0a00", Self.link, at: 1).isEmpty)
        #expect(said(machine.timerFired(now: .zero + .seconds(2))) == ["1 0b01"])
        #expect(said(machine.timerFired(now: .zero + .seconds(3))) == ["0 0b01"])
        // A bearer gets no answer of one that had its number before.
        _ = send("0a 0a00", Self.first, at: 3)
        _ = machine.bearerClosed(Self.first, now: .zero + .seconds(3))
        open(64)
        #expect(send("0a 1100", Self.first, at: 4).isEmpty)
        #expect(said(machine.timerFired(now: .zero + .seconds(5))).isEmpty)
        #expect(said(machine.timerFired(now: .zero + .seconds(6))).first?.hasPrefix("1 0b07") == true)

        machine = try Self.connected("read 0xFF03: delay 1s")
        open(64, 64)
        #expect(send("0a 1100", Self.first).isEmpty)
        #expect(send("0a 0a00", Self.second) == ["2 0b01"])
        #expect(said(machine.timerFired(now: .zero + .seconds(1))).first?.hasPrefix("1 0b07") == true)

        machine = try Self.connected("read 0xFF03: drop after 1s")
        open(64)
        _ = send("0a 1100", Self.first)
        // The fault ends the link, also if the bearer has ended before.
        _ = machine.bearerClosed(Self.first, now: .zero)
        #expect(said(machine.timerFired(now: .zero + .seconds(2))).last?.hasPrefix("hung up") == true)
    }

    // MARK: - Values without a request

    @Test mutating func `a value goes whole over the bearer with the largest MTU, and all in order over the same`() {
        _ = send("12 1400 0100", Self.link)
        let value = [UInt8](repeating: 9, count: 50)
        let cut = ["0 1b1300" + Hex.string(value.prefix(20))]
        #expect(said(machine.send(value, of: 0x0013, now: .zero)) == cut)
        open(64, 64)
        #expect(said(machine.send(value, of: 0x0013, now: .zero)) == ["1 1b1300" + Hex.string(value)])
        #expect(said(machine.send([1], of: 0x0013, now: .zero)) == ["1 1b130001"])
        _ = send("02 0502", Self.link)
        #expect(said(machine.send(value, of: 0x0013, now: .zero)) == ["0 1b1300" + Hex.string(value)])
    }

    @Test mutating func `each bearer has an unconfirmed indication, and values of one attribute stay in order`() {
        open(64, 64)
        for handle in ["1400", "1700"] { #expect(send("12 \(handle) 0200", Self.link) == ["0 13"]) }
        #expect(said(machine.send([1], of: 0x0013, now: .zero)) == ["0 1d130001"])
        #expect(said(machine.send([2], of: 0x0013, now: .zero)).isEmpty)
        #expect(said(machine.send([3], of: 0x0016, now: .zero)) == ["1 1d160003"])
        #expect(send("1e", Self.first).isEmpty)
        #expect(send("1e", Self.second) == ["odd: \(ATTDiagnostic.unexpectedConfirmation)"])
        #expect(send("1e", Self.link) == ["0 1d130002"])
        #expect(send("1e", Self.link).isEmpty && machine.nextDeadline == nil)
    }

    @Test mutating func `an indication that is not confirmed ends its enhanced bearer, and not the link`() {
        open(64)
        for handle in ["1400", "1700"] { _ = send("12 \(handle) 0200", Self.link) }
        _ = machine.send([1], of: 0x0013, now: .zero)
        _ = send("1e", Self.link)
        _ = machine.send([1], of: 0x0013, now: .zero)
        _ = machine.send([3], of: 0x0016, now: .zero + .seconds(1))
        _ = send("1e", Self.link, at: 2)
        let reason = "odd: \(ATTDiagnostic.unconfirmedIndication)"
        #expect(said(machine.timerFired(now: .zero + .seconds(31))) == [reason, "1 closed"])
        // Until its end is reported, nothing goes over it.
        #expect(said(machine.send([4], of: 0x0016, now: .zero + .seconds(31))) == ["0 1d160004"])
        #expect(send("0a 0a00", Self.first, at: 31).isEmpty)
        #expect(machine.bearerClosed(Self.first, now: .zero + .seconds(31)).isEmpty)
        #expect(send("1e", Self.link, at: 32).isEmpty)
        #expect(send("0a 0a00", Self.link, at: 32) == ["0 0b01"])
    }

    @Test mutating func `a change of the database is indicated again if the bearer ends before it is confirmed`() {
        open(64)
        for handle in ["0400", "1400"] { _ = send("12 \(handle) 0200", Self.link) }
        // The indication of another value keeps the bearer of the link.
        _ = machine.send([1], of: 0x0013, now: .zero)
        #expect(send("12 1900 01", Self.link) == ["0 13", "1 1d03001a001a00"])
        #expect(said(machine.bearerClosed(Self.first, now: .zero)).isEmpty)
        #expect(send("1e", Self.link) == ["0 1d03001a001a00"])
        #expect(send("1e", Self.link).isEmpty)
    }
}
