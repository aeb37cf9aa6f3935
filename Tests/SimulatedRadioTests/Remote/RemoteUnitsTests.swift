// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import Testing

@testable import BluetoothHost
@testable import RadioSharing
@testable import SimulatedRadio

/// What a process knows of the units that another one sends for it.
@Suite("Units in a world that several processes share")
struct RemoteUnitsTests {
    /// Opens a channel to a device that offers a service, by a machine of another process.
    private static func open(
        _ service: DeviceChannel,
        _ body: @escaping @Sendable (any L2CAPChannel, VirtualTime) async throws -> Void
    ) throws {
        try join(service) { open, time in
            let channel = try await open()
            try await body(channel, time)
            channel.close()
        }
    }

    /// Joins a world with a device that offers a service, which `open` opens a channel to.
    private static func join(
        _ service: DeviceChannel,
        _ body:
            @escaping @Sendable (
                _ open: @escaping @Sendable () async throws -> any L2CAPChannel, VirtualTime
            ) async throws -> Void
    ) throws {
        var device = try SimulatedDevice.builtIn("workbench")
        device.channels = [service]
        let address = device.address
        try share(SimulatedWorld(devices: [device])) { world, time, scope in
            let server = RemoteRadioServer(
                time: time,
                makeMachine: {
                    let system = world.join()
                    return RemoteRadioServer.Machine(system, leave: system.leave)
                }
            )
            let connector = PipeConnector(server: server, scope: scope)
            let joined = try await RemoteRadioSystem.join(connector, time: time, scope: scope)
            try await body(
                {
                    try await joined.radio(named: nil).connectL2CAP(
                        to: address,
                        L2CAPRequest(spsm: service.spsm, mtu: 672),
                        deadline: time.now + .seconds(20),
                        onFrame: nil
                    )
                },
                time
            )
            await joined.depart()
        }
    }

    /// Runs a test with the units of a channel, and the other process's end of the connection. Three octets were sent.
    private static func withUnits(
        _ body: @escaping @Sendable (RemoteUnits, PacketPipe, VirtualTime) async throws -> Void
    ) throws {
        try share(SimulatedWorld(devices: [])) { _, time, scope in
            let (near, far) = PacketPipe.pair()
            let units = RemoteUnits(RemoteChannel(near, during: "channel", lost: .linkLost(nil)))
            #expect(units.takeAll(in: scope))
            try far.send(RemotePacket.finished(0).encoded())
            try await time.sleep(for: .seconds(1))
            try units.send([1, 2, 3])
            try await body(units, far, time)
            units.close()
        }
    }

    /// What a wait of at most a minute for the other process comes to; `nil` if it does not end.
    private static func drained(_ units: RemoteUnits, _ time: VirtualTime) async throws -> Result<Void, RadioError>? {
        try await untilDeadline(time.now + .seconds(60), time) {
            do throws(RadioError) {
                try await units.drained()
                return .success(())
            } catch {
                return error.cause == .cancelled ? nil : .failure(error)
            }
        } ?? nil
    }

    /// The end that a device makes.
    private static let ended = RadioError(.closedByPeer(nil), during: "channel")

    @Test func `units without credits of the device are unsent, as in a world of one process`() throws {
        try Self.open(DeviceChannel(spsm: SPSM(0x80), behavior: .sink, credits: 0)) { channel, time in
            #expect(channel.unsentOctets == 0)
            try channel.send([1, 2, 3])
            try channel.send([4])
            try await time.sleep(for: .seconds(10))
            #expect(channel.unsentOctets == 4)
            let isDrained = try await untilDeadline(time.now + .seconds(60), time) {
                try await channel.drained()
                return true
            }
            #expect(isDrained == nil)
        }
    }

    @Test func `units that a device takes are sent in the end, even if nobody receives here`() throws {
        try Self.open(DeviceChannel(spsm: SPSM(0x80), behavior: .sink)) { channel, _ in
            for _ in 0..<200 { try channel.send([UInt8](repeating: 7, count: 500)) }
            #expect(channel.unsentOctets > 50_000)
            try await channel.drained()
            #expect(channel.unsentOctets == 0)
        }
    }

    @Test func `units that nobody receives are kept in order, and hold the device back`() throws {
        try Self.open(DeviceChannel(spsm: SPSM(0x80), behavior: .source(octets: 300_000))) { channel, time in
            try await time.sleep(for: .seconds(600))
            var octets: [UInt8] = []
            await #expect(throws: RadioError.self) { while true { octets += try await channel.receive() } }
            #expect(octets.count == 300_000)
            #expect(octets == (0..<300_000).map { UInt8(truncatingIfNeeded: $0) })
        }
    }

    @Test func `the end of the channel ends a wait for the device`() throws {
        try Self.open(DeviceChannel(spsm: SPSM(0x80), behavior: .sink, credits: 0)) { channel, time in
            try channel.send([1, 2, 3])
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await #expect(throws: RadioError.self) { try await channel.drained() } }
                group.addTask {
                    try? await time.sleep(for: .seconds(1))
                    channel.close()
                }
            }
            #expect(channel.unsentOctets == 0)
        }
    }

    @Test func `an older process reports no counts, and a count may wrap around`() throws {
        try share(SimulatedWorld(devices: [])) { _, time, scope in
            let (near, far) = PacketPipe.pair()
            let units = RemoteUnits(RemoteChannel(near, during: "channel", lost: .linkLost(nil)))
            #expect(units.takeAll(in: scope))
            try units.send([1, 2, 3])
            try await units.drained()
            #expect(units.unsentOctets == 0)
            // The counts are those modulo 2^32: one before 0 is one octet behind.
            try far.send(RemotePacket.finished(.max).encoded())
            try await time.sleep(for: .seconds(1))
            #expect(units.unsentOctets == 4)
            try far.send(RemotePacket.finished(7).encoded())
            try await time.sleep(for: .seconds(1))
            #expect(units.unsentOctets == 0)
            units.close()
        }
    }

    @Test func `units that nobody receives do not hide that all was sent, nor the end`() throws {
        try Self.withUnits { units, far, time in
            for index in 0..<65 { try far.send(RemotePacket.data([UInt8(index)]).encoded()) }
            try far.send(RemotePacket.finished(3).encoded())
            guard case .success? = try await Self.drained(units, time) else {
                Issue.record("what was sent is not known")
                return
            }
            try units.send([4])
            for index in 65..<200 { try far.send(RemotePacket.data([UInt8(index)]).encoded()) }
            try far.send(RemotePacket.ended(Self.ended).encoded())
            guard case .failure(Self.ended)? = try await Self.drained(units, time) else {
                Issue.record("the end is not known")
                return
            }
            var received: [[UInt8]] = []
            await #expect(throws: Self.ended) { while true { received.append(try await units.receive()) } }
            #expect(received == (0..<200).map { [UInt8($0)] })
        }
    }

    @Test func `a wait for the other process takes a limited number of unread units, and loses none`() throws {
        try Self.withUnits { units, far, time in
            for index in 0..<2_000 { try far.send(RemotePacket.data([UInt8(index & 0xFF)]).encoded()) }
            try far.send(RemotePacket.finished(3).encoded())
            #expect(try await Self.drained(units, time) == nil)
            var received: [[UInt8]] = []
            while received.count < 2_000 { received.append(try await units.receive()) }
            #expect(received == (0..<2_000).map { [UInt8($0 & 0xFF)] })
            guard case .success? = try await Self.drained(units, time) else {
                Issue.record("what was sent is not known")
                return
            }
        }
    }

    @Test func `a device that closes the channel after all data causes no error`() throws {
        try Self.withUnits { units, far, time in
            try far.send(RemotePacket.finished(3).encoded())
            try far.send(RemotePacket.ended(Self.ended).encoded())
            for _ in 0..<2 {
                guard case .success? = try await Self.drained(units, time) else {
                    Issue.record("everything was sent")
                    return
                }
            }
        }
        try Self.withUnits { units, far, time in
            try far.send(RemotePacket.finished(2).encoded())
            try far.send(RemotePacket.ended(Self.ended).encoded())
            guard case .failure(Self.ended)? = try await Self.drained(units, time) else {
                Issue.record("one octet was not sent")
                return
            }
        }
    }

    @Test func `a channel without references is closed`() throws {
        // There is room for another one only if the first is closed.
        try Self.join(DeviceChannel(spsm: SPSM(0x80), behavior: .echo, maximumChannels: 1)) { open, time in
            func use() async throws {
                let channel = try await open()
                try channel.send([1, 2, 3])
                #expect(try await channel.receive() == [1, 2, 3])
            }
            for _ in 0..<3 {
                try await use()
                try await time.sleep(for: .seconds(1))
            }
        }
    }
}
