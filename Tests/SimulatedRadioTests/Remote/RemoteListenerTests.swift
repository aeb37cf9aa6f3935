// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import RadioSharing
import Testing

@testable import SimulatedRadio

/// The centrals and channels that arrive for a process that listens.
@Suite("Listeners in a world that several processes share")
struct RemoteListenerTests {
    /// Runs a test with the radio of a process that advertises, the radio of another machine, and the address of the
    /// first one.
    private static func share(
        _ body: @escaping @Sendable (any Radio, any Radio, DeviceAddress, VirtualTime) async throws -> Void
    ) throws {
        try SimulatedRadioTests.share(SimulatedWorld(devices: [])) { world, time, scope in
            let server = RemoteRadioServer(
                time: time,
                makeMachine: {
                    let system = world.join()
                    return RemoteRadioServer.Machine(system, leave: system.leave)
                }
            )
            let joined = try await RemoteRadioSystem.join(
                PipeConnector(server: server, scope: scope),
                time: time,
                scope: scope
            )
            let radio = try joined.radio(named: nil)
            let hci = try radio.openHCI()
            try await hci.perform(try AdvertisedSet().commands())
            let other = try world.join().radio(named: nil)
            try await body(radio, other, DeviceAddress(radio.adapter.address, .public), time)
            hci.close()
            await joined.depart()
        }
    }

    /// Whether a channel ends within a second.
    private static func ends(_ channel: any PacketChannel, _ time: VirtualTime) async throws -> Bool {
        let hasEnded = try await untilDeadline(time.now + .seconds(1), time) {
            do throws(RadioError) {
                while true { _ = try await channel.receive() }
            } catch {
                return error.cause != .cancelled
            }
        }
        return hasEnded == true
    }

    @Test func `a central that was not accepted loses its link when the process stops listening`() throws {
        try Self.share { radio, other, address, time in
            let listener = try radio.listenATT()
            try await time.sleep(for: .seconds(1))
            let central = try await other.connectATT(to: address, deadline: time.now + .seconds(20))
            try await time.sleep(for: .seconds(1))
            listener.close()
            #expect(try await Self.ends(central, time))
        }
    }

    @Test func `a central that was accepted keeps its link`() throws {
        try Self.share { radio, other, address, time in
            let listener = try radio.listenATT()
            try await time.sleep(for: .seconds(1))
            let central = try await other.connectATT(to: address, deadline: time.now + .seconds(20))
            let taken = try await listener.accept()
            listener.close()
            #expect(try await !Self.ends(central, time))
            try central.send([0x0A, 0x01, 0x00])
            #expect(try await taken.receive() == [0x0A, 0x01, 0x00])
            taken.close()
        }
    }

    @Test func `a channel that was not accepted is closed when the process stops listening`() throws {
        try Self.share { radio, other, address, time in
            let request = L2CAPRequest(spsm: SPSM(0x25), mtu: 100)
            let listener = try radio.listenL2CAP(request, onFrame: nil)
            try await time.sleep(for: .seconds(1))
            let channel = try await other.connectL2CAP(
                to: address,
                request,
                deadline: time.now + .seconds(20),
                onFrame: nil
            )
            try await time.sleep(for: .seconds(1))
            listener.close()
            #expect(try await Self.ends(channel, time))
        }
    }
}
