// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import SimulatedRadio
import Testing

@testable import BluetoothHost

@Suite("Notifications that come faster than a link carries them")
struct NotificationPaceTests {
    private static func pdu(_ number: Int) -> [UInt8] {
        [0x1B, 0x03, 0x00, UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)]
    }

    @Test func `a link takes some ahead, and the others in their order when it has sent those`() {
        var pace = NotificationPace()
        let (window, all) = (NotificationPace.window, 3 * NotificationPace.window / 2)
        let verdicts = (0..<all).map { pace.take(Self.pdu($0)) }
        #expect(verdicts == (0..<all).map { $0 < window ? .send : .wait })
        #expect(pace.reported { _ in true } == (window..<all).map(Self.pdu))
        // Those count, too.
        #expect((0..<window).map { pace.take(Self.pdu($0)) }.count { $0 == .send } == window / 2)
    }

    @Test func `a link that keeps pace is asked early enough, and never waited for`() {
        var pace = NotificationPace()
        for number in 0..<10_000 {
            #expect(pace.take(Self.pdu(number)) == .send)
            guard pace.wantsReport else { continue }
            pace.asked()
            #expect(!pace.wantsReport)
            #expect(pace.take(Self.pdu(number)) == .send)
            #expect(pace.reported { _ in true }.isEmpty)
        }
    }

    @Test func `what waits is bounded, and what a client wants no more goes away`() {
        var pace = NotificationPace()
        let (window, limit) = (NotificationPace.window, NotificationPace.limit)
        let verdicts = (0..<window + limit + 100).map { pace.take(Self.pdu($0)) }
        #expect(verdicts.suffix(101) == [.wait] + [NotificationPace.Verdict](repeating: .drop, count: 100))
        let next = pace.reported { $0[4] == 0x01 }
        #expect(next == (256..<256 + window).map(Self.pdu))
        #expect(pace.take(Self.pdu(0)) == .wait)
        #expect(pace.reported { _ in false }.isEmpty)
        #expect(pace.take(Self.pdu(0)) == .send)
    }

    @Test func `notifications of one and of several values are meant`() {
        #expect(NotificationPace.concerns([0x1B, 3, 0]) && NotificationPace.concerns([0x23, 3, 0]))
        #expect(!NotificationPace.concerns([0x1D, 3, 0]) && !NotificationPace.concerns([0x13]))
        #expect(!NotificationPace.concerns([]))
        #expect(NotificationPace.handle(of: [0x1B, 3, 1]) == 0x0103 && NotificationPace.handle(of: [0x1B]) == nil)
    }

    @Test func `drops are told ever more rarely, and none is left untold`() {
        var dropped = DroppedValues()
        let told = (0..<250).compactMap { _ in dropped.add(1) }
        #expect(told == [1, 9, 90])
        #expect(dropped.rest() == 150)
        #expect(dropped.rest() == nil)
        #expect(dropped.add(1_000) == 1_000)
    }

    // MARK: - A served device

    /// A device with one client, whose link the test plays, and what is told of values that were dropped.
    private struct Bench: Sendable {
        let time: VirtualTime
        let runner: DeviceRunner
        let told: BoundedQueue<DeviceEvent>
        private let scope: TaskScope
        static let patience = Duration.seconds(30)

        init(_ properties: CharacteristicProperties, _ time: VirtualTime, _ scope: TaskScope) throws {
            var device = try PeripheralHostTests.device()
            let value = CharacteristicDefinition(0xFF01, [.read, properties], value: .fixed([0xAB]))
            device.database = try GATTDatabase(services: [ServiceDefinition(0xFF00, characteristics: [value])])
            let told = BoundedQueue<DeviceEvent>(limit: 64, overflow: .dropOldest)
            (self.time, self.scope, self.told) = (time, scope, told)
            runner = DeviceRunner(
                device,
                time: time,
                scope: scope,
                onEvent: { if case .dropped = $0 { told.push($0) } }
            )
        }

        /// A client with a subscription, and its channel.
        func client(_ number: UInt32, _ subscription: String) async -> ScriptedChannel {
            let channel = ScriptedChannel(time, scope) { _ in nil }
            let link = ChannelLink(channel: channel, central: nil, bonds: nil, controller: nil, scope: scope)
            await runner.connected(GATTServer.ClientID(number), over: link)
            await receive("12 0400 \(subscription)", from: number)
            #expect(channel.sent == ["13"])
            return channel
        }

        func receive(_ hex: String, from client: UInt32) async {
            await runner.received(octets(hex), from: GATTServer.ClientID(client))
        }

        /// Sends the value as often, each time when there is room. Returns how many were sent before one was not.
        func sendInTurn(_ count: Int) async -> Int {
            for number in 0..<count {
                let sent = try? await runner.withRoom(for: { _ in 0x0003 }, within: Self.patience) {
                    $0.send([0xAB], of: { _ in 0x0003 })
                }
                if sent == nil { return number }
            }
            return count
        }

        /// Sends the value as often, to the clients that are subscribed.
        func send(_ count: Int) async throws {
            for _ in 0..<count { _ = await runner.send([0xAB], of: { _ in 0x0003 }) }
            try await pause()
        }

        func pause() async throws { try await time.sleep(for: .seconds(1)) }
    }

    @Test func `a client whose link is full keeps it, gets answers at once, and then the values that waited`() throws {
        let (window, limit) = (NotificationPace.window, NotificationPace.limit)
        try inVirtualTime { time, scope in
            let bench = try Bench(.notify, time, scope)
            let slow = await bench.client(1, "0100")
            let other = await bench.client(2, "0100")
            slow.setCongested(true)
            for _ in 0..<(window + limit) / 32 { try await bench.send(32) }
            try await bench.send(5)
            #expect(slow.sent.count == 1 + window && other.sent.count == 1 + window + limit + 5)
            await bench.receive("0a 0300", from: 1)
            #expect(slow.sent.last == "0bab" && slow.closedAt == nil)
            slow.setCongested(false)
            try await bench.pause()
            #expect(slow.sent.count == 1 + window + 1 + limit && slow.sent.last == "1b0300ab")
            await bench.runner.disconnected(GATTServer.ClientID(1))
            #expect(try await bench.told.next() == .dropped(GATTServer.ClientID(1), 1))
            #expect(try await bench.told.next() == .dropped(GATTServer.ClientID(1), 4))
            #expect(bench.told.count == 0)
        }
    }

    @Test func `values that wait are not sent to a client that has unsubscribed`() throws {
        try inVirtualTime { time, scope in
            let bench = try Bench(.notify, time, scope)
            let channel = await bench.client(1, "0100")
            channel.setCongested(true)
            try await bench.send(2 * NotificationPace.window)
            await bench.receive("12 0400 0000", from: 1)
            channel.setCongested(false)
            try await bench.pause()
            #expect(channel.sent.count == 1 + NotificationPace.window + 1 && channel.sent.last == "13")
            #expect(bench.told.count == 0)
        }
    }

    @Test func `a program that waits for room loses no value, and waits as long as its link and its task last`() throws
    {
        let room = NotificationPace.window + NotificationPace.limit
        try inVirtualTime { time, scope in
            let bench = try Bench(.notify, time, scope)
            let channel = await bench.client(1, "0100")
            channel.setCongested(true)
            async let count = bench.sendInTurn(2 * room)
            try await bench.pause()
            #expect(channel.sent.count == 1 + NotificationPace.window)
            channel.setCongested(false)
            #expect(await count == 2 * room)
            try await bench.pause()
            #expect(channel.sent.count == 1 + 2 * room)
            channel.setCongested(true)
            try await withThrowingTaskGroup(of: Int.self) { group in
                group.addTask { await bench.sendInTurn(2 * room) }
                try await bench.pause()
                group.cancelAll()
                let sent = try await group.next() ?? 0
                #expect(sent >= NotificationPace.limit && sent <= room)
            }
            async let last = bench.sendInTurn(1)
            try await bench.pause()
            await bench.runner.disconnected(GATTServer.ClientID(1))
            #expect(await last == 1)
            #expect(bench.told.count == 0)
        }
    }

    @Test func `a program does not wait without end for room, and the value is not sent later`() throws {
        let room = NotificationPace.window + NotificationPace.limit
        try inVirtualTime { time, scope in
            let bench = try Bench(.notify, time, scope)
            let channel = await bench.client(1, "0100")
            channel.setCongested(true)
            let began = time.now
            #expect(await bench.sendInTurn(2 * room) == room)
            #expect(time.now - began == Bench.patience)
            channel.setCongested(false)
            try await bench.pause()
            #expect(channel.sent.count == 1 + room)
        }
    }

    @Test func `a program that waits for room waits for the confirmations of indications`() throws {
        try inVirtualTime { time, scope in
            let bench = try Bench(.indicate, time, scope)
            let channel = await bench.client(1, "0200")
            async let count = bench.sendInTurn(100)
            for _ in 0..<100 {
                try await time.sleep(for: .milliseconds(10))
                await bench.receive("1e", from: 1)
            }
            #expect(await count == 100)
            #expect(channel.sent.count { $0 == "1d0300ab" } == 100)
            #expect(bench.told.count == 0)
        }
    }

    @Test func `indications that a client does not confirm in time are dropped, and told`() throws {
        try inVirtualTime { time, scope in
            let bench = try Bench(.indicate, time, scope)
            let channel = await bench.client(1, "0200")
            try await bench.send(67)
            for _ in 0..<64 { await bench.receive("1e", from: 1) }
            #expect(channel.sent.count { $0 == "1d0300ab" } == 64 && channel.closedAt == nil)
            await bench.runner.disconnected(GATTServer.ClientID(1))
            #expect(try await bench.told.next() == .dropped(GATTServer.ClientID(1), 1))
            #expect(try await bench.told.next() == .dropped(GATTServer.ClientID(1), 2))
            #expect(bench.told.count == 0)
        }
    }
}
