// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import Testing

@testable import BluetoothHost
@testable import RadioSharing
@testable import SimulatedRadio

/// The frames of credit-based channels that one process has and another one sees.
@Suite("Frames in a world that several processes share")
struct RemoteFramesTests {
    /// The frames of a run and the ends of its links, as a capture sees them.
    private final class Observed: Sendable {
        let events = Box<[String]>([])

        private func add(_ event: String) { events.set(events.value + [event]) }

        /// The system with taps that write down what they see.
        func tap(_ system: any RadioSystem, _ time: VirtualTime) -> any RadioSystem {
            TappedRadioSystem(system, time: time) { link in
                self.add(link.change == .opened ? "opened" : "ended")
            } tap: { packet in
                guard case .l2cap = packet.channel else { return }
                self.add("\(packet.direction == .sent ? ">" : "<") \(Hex.string(packet.bytes))")
            }
        }
    }

    /// A world with one device that offers these services.
    private static func world(_ services: DeviceChannel...) throws -> SimulatedWorld {
        var device = try SimulatedDevice.builtIn("workbench")
        device.channels = services
        return SimulatedWorld(devices: [device])
    }

    /// Runs a test with a machine of this process, and the same one with a machine of another process. Returns the
    /// events of both.
    private static func both(
        _ world: SimulatedWorld,
        _ body: @escaping @Sendable (any Radio, VirtualTime) async throws -> Void
    ) throws -> (own: [String], remote: [String]) {
        let (own, remote) = (Observed(), Observed())
        try share(world) { world, time, _ in
            let system = own.tap(world.join(), time)
            try await body(try system.radio(named: nil), time)
        }
        try share(world) { world, time, scope in
            let server = server(of: world, time)
            let joined = try await RemoteRadioSystem.join(
                PipeConnector(server: server, scope: scope),
                time: time,
                scope: scope
            )
            try await body(try remote.tap(joined, time).radio(named: nil), time)
            await joined.depart()
        }
        return (own.events.value, remote.events.value)
    }

    private static func server(of world: RunningWorld, _ time: VirtualTime) -> RemoteRadioServer {
        RemoteRadioServer(
            time: time,
            makeMachine: {
                let system = world.join()
                return RemoteRadioServer.Machine(system, leave: system.leave)
            }
        )
    }

    private static func open(_ spsm: UInt16, by radio: any Radio, _ time: VirtualTime) async throws -> any L2CAPChannel
    {
        try await radio.connectL2CAP(
            to: try SimulatedDevice.builtIn("workbench").address,
            L2CAPRequest(spsm: SPSM(spsm), mtu: 672),
            deadline: time.now + .seconds(20),
            onFrame: nil
        )
    }

    @Test func `a channel that this side closes has the frames of a world of one process`() throws {
        let world = try Self.world(DeviceChannel(spsm: SPSM(0x80), behavior: .echo, mtu: 1_000, mps: 100))
        let seen = try Self.both(world) { radio, time in
            let channel = try await Self.open(0x80, by: radio, time)
            for unit in [[1, 2, 3], [UInt8](repeating: 7, count: 300)] {
                try channel.send(unit)
                #expect(try await channel.receive() == unit)
            }
            channel.close()
        }
        #expect(seen.own.first == "opened" && seen.own.last == "ended")
        #expect(seen.remote == seen.own)
        // Both directions of data, and the signals from the request to the end.
        #expect(seen.remote.contains { $0.hasPrefix("> ") && $0.hasSuffix("010203") })
        #expect(seen.remote.contains { $0.hasPrefix("< ") && $0.hasSuffix("010203") })
        let signals = seen.remote.filter { $0.dropFirst(6).prefix(4) == "0500" }.map { $0.dropFirst(10).prefix(2) }
        #expect(signals.first == "14" && signals.dropFirst().first == "15" && signals.last == "06", "\(signals)")
    }

    @Test func `a channel that the device closes, and one that it refuses, have all their frames`() throws {
        let world = try Self.world(
            DeviceChannel(spsm: SPSM(0x81), behavior: .source(octets: 100)),
            DeviceChannel(spsm: SPSM(0x82), behavior: .sink, maximumChannels: 0)
        )
        let seen = try Self.both(world) { radio, time in
            let channel = try await Self.open(0x81, by: radio, time)
            await #expect(throws: RadioError.self) { while true { _ = try await channel.receive() } }
            channel.close()
            try await time.sleep(for: .seconds(1))
            await #expect(throws: RadioError.self) { _ = try await Self.open(0x82, by: radio, time) }
            try await time.sleep(for: .seconds(1))
        }
        #expect(seen.own.count { $0 == "ended" } == 2)
        #expect(seen.remote == seen.own)
    }

    /// Connections to a server that hangs while `hangs` is set: it then gets none of them.
    private struct HangingConnector: RemoteConnector {
        let connector: PipeConnector
        let hangs = Box(false)
        /// The other ends, which stay open.
        let unserved = Box<[PacketPipe]>([])

        func connect() throws(RadioError) -> any PacketChannel {
            guard hangs.value else { return try connector.connect() }
            hangs.set(false)
            let (near, far) = PacketPipe.pair()
            unserved.set(unserved.value + [far])
            return near
        }
    }

    @Test func `a process that does not announce frames delays a channel only briefly`() throws {
        let world = try Self.world(DeviceChannel(spsm: SPSM(0x80), behavior: .echo))
        try share(world) { world, time, scope in
            let server = Self.server(of: world, time)
            let connector = HangingConnector(connector: PipeConnector(server: server, scope: scope))
            let joined = try await RemoteRadioSystem.join(connector, time: time, scope: scope)
            let radio = try Observed().tap(joined, time).radio(named: nil)
            connector.hangs.set(true)
            let began = time.now
            let channel = try await Self.open(0x80, by: radio, time)
            #expect(time.now - began >= RemoteRadioServer.farewellTimeout)
            try channel.send([1, 2, 3])
            #expect(try await channel.receive() == [1, 2, 3])
            channel.close()
            #expect(connector.unserved.value.count == 1)
            await joined.depart()
        }
    }

    @Test func `the side that listens has the frames of the channels that are opened to it`() throws {
        try share(SimulatedWorld(devices: [])) { world, time, scope in
            let server = Self.server(of: world, time)
            let (near, far) = (Observed(), Observed())
            let listening = try await RemoteRadioSystem.join(
                PipeConnector(server: server, scope: scope),
                time: time,
                scope: scope
            )
            let connecting = world.join()
            let radio = try far.tap(listening, time).radio(named: nil)
            let listener = try radio.listenL2CAP(L2CAPRequest(spsm: SPSM(0x25), mtu: 100), onFrame: nil)
            let hci = try radio.openHCI()
            try await hci.perform(try AdvertisedSet().commands())
            let opened = try await near.tap(connecting, time).radio(named: nil).connectL2CAP(
                to: DeviceAddress(radio.adapter.address, .public),
                L2CAPRequest(spsm: SPSM(0x25), mtu: 50),
                deadline: time.now + .seconds(20),
                onFrame: nil
            )
            let channel = try await listener.accept()
            try opened.send([1, 2, 3])
            #expect(try await channel.receive() == [1, 2, 3])
            try channel.send([4, 5])
            #expect(try await opened.receive() == [4, 5])
            channel.close()
            listener.close()
            hci.close()
            await #expect(throws: RadioError.self) { _ = try await opened.receive() }
            await listening.depart()
            // What one side sends, the other one receives.
            let turned = near.events.value.map { event in
                event.hasPrefix(">") ? "<" + event.dropFirst() : event.hasPrefix("<") ? ">" + event.dropFirst() : event
            }
            #expect(far.events.value.first == "opened" && far.events.value.last == "ended")
            let closing = far.events.value.dropLast()
            #expect(closing.last?.hasPrefix("> ") == true, "\(far.events.value)")
            #expect(Set(closing).subtracting(turned).isEmpty, "\(far.events.value), \(near.events.value)")
            #expect(closing.count > 5)
        }
    }

    @Test func `a channel whose last frame is announced twice or too early leaves nothing behind`() throws {
        try share(SimulatedWorld(devices: [])) { _, time, scope in
            let (near, far) = PacketPipe.pair()
            let channel = RemoteChannel(near, during: "frames", lost: .linkLost(nil))
            let frames = RemoteFrames(1, channel, RemoteObservers(scope: scope)) { _ in }
            scope.spawn { await frames.read() }
            let ran = Box<[String]>([])
            func finish(_ number: UInt32) async throws {
                try far.send(RemotePacket.finished(number).encoded())
                try await time.sleep(for: .seconds(1))
            }
            frames.begin(1)
            frames.afterLast(1) { ran.set(ran.value + ["first"]) }
            #expect(ran.value == [])
            for _ in 0..<2 { try await finish(1) }
            #expect(ran.value == ["first"])
            // If the number were kept, another channel with it would end at once.
            frames.begin(1)
            frames.afterLast(1) { ran.set(ran.value + ["again"]) }
            #expect(ran.value == ["first"])
            try await finish(1)
            #expect(ran.value == ["first", "again"])
            for number in 2...3 as ClosedRange<UInt32> { try await finish(number) }
            frames.begin(3)
            frames.afterLast(3) { ran.set(ran.value + ["early"]) }
            #expect(ran.value == ["first", "again", "early"])
            frames.close()
        }
    }
}
