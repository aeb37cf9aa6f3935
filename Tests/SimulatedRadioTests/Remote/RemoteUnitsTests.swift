// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import Testing

@testable import BluetoothHost
@testable import SimulatedRadio

/// What a process knows of the units that another one sends for it.
@Suite("Units in a world that several processes share")
struct RemoteUnitsTests {
    /// Opens a channel to a device that offers a service, by a machine of another process.
    private static func open(
        _ service: DeviceChannel,
        _ body: @escaping @Sendable (any L2CAPChannel, VirtualTime) async throws -> Void
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
            let channel = try await joined.radio(named: nil).connectL2CAP(
                to: address,
                L2CAPRequest(spsm: service.spsm, mtu: 672),
                deadline: time.now + .seconds(20),
                onFrame: nil
            )
            try await body(channel, time)
            channel.close()
            await joined.depart()
        }
    }

    @Test func `what a device has given no credits for is unsent, as in a world of one process`() throws {
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

    @Test func `what a device takes is sent in the end, though nobody receives here`() throws {
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

    @Test func `an older process tells nothing, and a count passes its end`() throws {
        try share(SimulatedWorld(devices: [])) { _, time, scope in
            let (near, far) = PacketPipe.pair()
            let units = RemoteUnits(RemoteChannel(near, during: "channel", lost: .linkLost(nil)))
            scope.spawn { await units.takeAll() }
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
}
