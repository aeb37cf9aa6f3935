// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import BluetoothHost
import RadioSharing
import Testing

@testable import SimulatedRadio

@Suite("Security in a world that several processes share")
struct RemotePairingTests {
    /// Says yes to everything.
    private struct Consent: PairingDelegate {
        func answer(_ prompt: PairingPrompt) async -> PairingAnswer { .yes }
        func took(_ step: PairingStep) async {}
    }

    /// A process that has joined the world.
    private struct Process: Sendable {
        let system: RemoteRadioSystem
        let time: VirtualTime
        let scope: TaskScope

        var address: BluetoothAddress {
            get throws { try system.radio(named: nil).adapter.address }
        }

        func connect(_ device: SimulatedDevice) async throws -> any ATTChannel {
            try await system.radio(named: nil).connectATT(to: device.address, deadline: time.now + .seconds(5))
        }

        /// Pairs on a link, and returns the bond.
        func pair(_ device: SimulatedDevice, on channel: any ATTChannel) async throws -> Bond {
            let manager = try AdapterManager.open(system, scope: scope, time: time)
            let pairer = Pairer(manager, on: ManagementIndex(0), scope: scope, time: time)
            let request = Pairer.Request(capability: .noInputNoOutput)
            let pairing = try await pairer.pair(device.address, request, delegate: Consent())
            // A program that acts on the end of the pairing sees this.
            #expect(channel.security.isEncrypted && channel.security.hasBond && channel.security.keySize == 16)
            await manager.close()
            return Bond(
                adapter: try address,
                device: pairing.device,
                longTermKeys: pairing.longTermKeys,
                since: time.wallClock
            )
        }

        func load(_ bonds: [Bond]) async throws {
            let manager = try AdapterManager.open(system, scope: scope, time: time)
            try await PairingSetup(manager, on: ManagementIndex(0)).load(bonds)
            await manager.close()
        }
    }

    private func share(
        _ bonding: DevicePairing.Bonding = .kept,
        _ body: @escaping @Sendable (SimulatedDevice, @Sendable () async throws -> Process) async throws -> Void
    ) throws {
        var device = try SimulatedDevice.builtIn("workbench")
        device.pairing = DevicePairing()
        device.pairing?.bonding = bonding
        try SimulatedRadioTests.share(SimulatedWorld(devices: [device])) { [device] world, time, scope in
            let server = RemoteRadioServer(
                time: time,
                makeMachine: {
                    let system = world.join()
                    return RemoteRadioServer.Machine(system, leave: system.leave)
                }
            )
            try await body(device) {
                let connector = PipeConnector(server: server, scope: scope)
                let system = try await RemoteRadioSystem.join(connector, time: time, scope: scope)
                return Process(system: system, time: time, scope: scope)
            }
        }
    }

    @Test func `the bond of one process is used by the next one for encryption`() throws {
        try share { device, join in
            let handle = try #require(device.database.characteristic(WorkbenchUUID.encrypted)).valueHandle
            let read = "0a" + Hex.string(handle.encoded())
            let first = try await join()
            var channel = try await first.connect(device)
            #expect(channel.security == .none)
            #expect(try await channel.exchange(read).hasPrefix("01"))
            let bond = try await first.pair(device, on: channel)
            #expect(try await channel.exchange(read).hasPrefix("0b"))
            await first.system.depart()
            let second = try await join()
            #expect(try second.address == bond.adapter)
            try await second.load([bond])
            channel = try await second.connect(device)
            #expect(!channel.security.isEncrypted && channel.security.hasBond)
            #expect(try await channel.exchange(read).hasPrefix("01"))
            await #expect(throws: RadioError(.unsupported, during: "link to \(device.address.address)")) {
                try await channel.raiseSecurity(to: .high)
            }
            try await channel.raiseSecurity(to: .medium)
            #expect(channel.security.isEncrypted && !channel.security.isAuthenticated)
            #expect(try await channel.exchange(read).hasPrefix("0b"))
        }
    }

    @Test func `a device that has forgotten the bond ends the link for the process as well`() throws {
        try share(.forgotten) { device, join in
            let process = try await join()
            var channel = try await process.connect(device)
            await #expect(throws: RadioError(.unsupported, during: "link to \(device.address.address)")) {
                try await channel.raiseSecurity(to: .medium)
            }
            let bond = try await process.pair(device, on: channel)
            channel.close()
            try await process.time.sleep(for: .seconds(1))
            try await process.load([bond])
            channel = try await process.connect(device)
            let failed = RadioError(.authenticationFailed, during: "link to \(device.address.address)")
            await #expect(throws: failed) { try await channel.raiseSecurity(to: .medium) }
            await #expect(throws: RadioError.self) { while true { _ = try await channel.receive() } }
            // The link is gone, so there is no security to raise.
            await #expect(throws: RadioError.self) { try await channel.raiseSecurity(to: .medium) }
        }
    }

    @Test func `each machine has its own address, which is free when it has left`() throws {
        try share { _, join in
            let (first, second) = (try await join(), try await join())
            let addresses = [try first.address, try second.address]
            #expect(addresses[0] != addresses[1])
            await first.system.depart()
            #expect(throws: RadioError(.noAdapter, during: "shared world")) { _ = try first.system.radio(named: nil) }
            let third = try await join()
            #expect(try third.address == addresses[0])
            #expect(try second.address == addresses[1])
            // A second farewell, and one behind the end, do nothing.
            await first.system.depart()
            #expect(try third.address == addresses[0])
        }
    }
}
