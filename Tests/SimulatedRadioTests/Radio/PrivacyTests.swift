// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import BluetoothHost
import Synchronization
import Testing

@testable import SimulatedRadio

@Suite("Private addresses of adapters")
struct PrivacyTests {
    private static let life = Duration.seconds(15 * 60)

    /// A machine of the world.
    private struct Machine: Sendable {
        let system: SimulatedRadioSystem
        let manager: AdapterManager
        let key: SecurityKey

        var address: DeviceAddress { DeviceAddress(system.radio.adapter.address, .public) }
        var identity: DeviceIdentity { DeviceIdentity(address: address, key: key) }
        var setup: PairingSetup { PairingSetup(manager, on: ManagementIndex(0)) }
        var privacy: PrivacySetup { PrivacySetup(manager, of: system.radio.adapter) }

        init(_ world: RunningWorld, _ time: VirtualTime, _ scope: TaskScope, _ key: UInt128) throws {
            system = world.join()
            manager = try AdapterManager.open(system, scope: scope, time: time)
            self.key = SecurityKey(key)
        }

        /// Advertises at a private address, which is returned.
        func advertise(_ random: UInt32) async throws -> DeviceAddress {
            let address = identity.privateAddress(random: random)
            var set = AdvertisedSet()
            set.ownAddressType = .random
            set.randomAddress = address.address
            try await system.perform(try set.commands())
            return address
        }

        /// The peers of the links that the adapter has.
        func peers(_ world: RunningWorld) -> [DeviceAddress] {
            world.state.withLock { $0.adapters[system.adapter.number]?.links.map(\.peer) ?? [] }
        }
    }

    private struct Agreeing: PairingDelegate {
        func answer(_ prompt: PairingPrompt) async -> PairingAnswer { .yes }
        func took(_ step: PairingStep) async {}
    }

    /// Pairs the first machine with the second one, at an address, and returns what both have of each other.
    private func pair(
        _ central: Machine,
        _ peripheral: Machine,
        at address: DeviceAddress,
        _ time: VirtualTime,
        _ scope: TaskScope
    ) async throws -> (central: Pairing, peripheral: Pairing) {
        let responder = PairingResponder(peripheral.manager, on: ManagementIndex(0), scope: scope, time: time)
        let found = Box<Pairing?>(nil)
        let task = scope.spawnCancellable {
            await responder.run { _ in
                Agreeing()
            } report: { _, result in
                found.set(try? result.get())
            }
        }
        try await time.sleep(for: .milliseconds(1))
        let pairer = Pairer(central.manager, on: ManagementIndex(0), scope: scope, time: time)
        let pairing = try await pairer.pair(address, .init(capability: .noInputNoOutput), delegate: Agreeing())
        try await time.sleep(for: .seconds(1))
        task.cancel()
        return (pairing, try #require(found.value))
    }

    @Test func `another adapter that has the number of an unplugged one keeps its privacy`() throws {
        try share(SimulatedWorld(devices: [])) { world, time, scope in
            let machine = try Machine(world, time, scope, 7)
            try await machine.privacy.set(machine.key)
            var former = machine.system.radio.adapter
            former.staticAddress = BluetoothAddress(rawValue: 0xC0_00_00_00_00_01)
            let setup = PrivacySetup(machine.manager, of: former)
            await #expect(throws: RadioError.self) { try await setup.set(nil) }
            #expect(try await machine.privacy.state == .on)
        }
    }

    @Test func `a private central is seen at an address that changes, and a bonded peer knows it by each`() throws {
        try share(SimulatedWorld(devices: [])) { world, time, scope in
            let (central, peripheral) = (try Machine(world, time, scope, 7), try Machine(world, time, scope, 8))
            #expect(try await central.privacy.state == .off)
            try await central.privacy.set(central.key)
            #expect(try await central.privacy.state == .on)
            for machine in [central, peripheral] {
                #expect(try await machine.setup.prepare(.init(), mayPowerCycle: false) == false)
                try await machine.setup.load([])
            }
            let listener = try peripheral.system.radio(named: nil).listenATT()
            try await peripheral.system.perform(try AdvertisedSet().commands())
            let (own, others) = try await pair(central, peripheral, at: peripheral.address, time, scope)
            #expect(own.device == peripheral.address && own.identityKey == nil)
            #expect(try await listener.accept().peer.kind == .resolvable, "nobody knows it before the pairing")
            // The peer has the identity address and the key, and no private address is kept.
            #expect(others.device == central.address && others.identityKey == central.key && others.isBonded)
            let bond = try #require(own.bond(of: central.address.address, name: nil, since: time.wallClock))
            let kept = try #require(others.bond(of: peripheral.address.address, name: nil, since: time.wallClock))
            try await central.setup.load([bond])
            try await peripheral.setup.load([kept])
            var seen: Set<DeviceAddress> = []
            for _ in 0..<3 {
                try await time.sleep(for: Self.life)
                try await peripheral.system.perform(try AdvertisedSet().commands())
                let radio = try central.system.radio(named: nil)
                let channel = try await radio.connectATT(to: peripheral.address, deadline: time.now + .seconds(5))
                let far = try await listener.accept()
                let peer = try #require(peripheral.peers(world).first)
                #expect(peer.kind == .resolvable && central.identity.owns(peer) && kept.owns(peer))
                #expect(far.peer == central.address, "a socket has the identity address")
                seen.insert(peer)
                try await channel.raiseSecurity(to: .medium)
                #expect(channel.security.isEncrypted)
                channel.close()
                try await time.sleep(for: .seconds(1))
            }
            #expect(seen.count == 3)
            // Without the keys, the peer knows nothing but the private address.
            try await peripheral.setup.load([])
            try await peripheral.system.perform(try AdvertisedSet().commands())
            let radio = try central.system.radio(named: nil)
            _ = try await radio.connectATT(to: peripheral.address, deadline: time.now + .seconds(5))
            #expect(try await listener.accept().peer.kind == .resolvable)
            try await time.sleep(for: .seconds(1))
            try await central.privacy.set(nil)
            #expect(try await central.privacy.state == .off)
        }
    }

    @Test func `a private peripheral is found under its identity address by its bonded peer`() throws {
        try share(SimulatedWorld(devices: [])) { world, time, scope in
            let (central, peripheral) = (try Machine(world, time, scope, 7), try Machine(world, time, scope, 8))
            try await peripheral.privacy.set(peripheral.key)
            for machine in [central, peripheral] {
                _ = try await machine.setup.prepare(.init(), mayPowerCycle: false)
                try await machine.setup.load([])
            }
            let first = try await peripheral.advertise(1)
            let (own, others) = try await pair(central, peripheral, at: first, time, scope)
            #expect(own.device == peripheral.address && own.identityKey == peripheral.key)
            #expect(others.device == central.address && others.identityKey == nil)
            let radio = try central.system.radio(named: nil)
            try await time.sleep(for: .seconds(1))
            let second = try await peripheral.advertise(2)
            #expect(second != first)
            let channel = try await radio.connectATT(to: peripheral.address, deadline: time.now + .seconds(5))
            #expect(central.peers(world) == [second])
            try await channel.raiseSecurity(to: .medium)
            channel.close()
            try await time.sleep(for: .seconds(1))
            // An attempt that waits is woken by an advertisement at another private address.
            let late = Box<(any ATTChannel)?>(nil)
            scope.spawn {
                late.set(try? await radio.connectATT(to: peripheral.address, deadline: time.now + .seconds(60)))
            }
            try await time.sleep(for: .seconds(30))
            #expect(late.value == nil)
            let third = try await peripheral.advertise(3)
            try await time.sleep(for: .seconds(5))
            #expect(late.value != nil && central.peers(world) == [third])
        }
    }

    @Test func `removing a bond ends the link to the private address`() throws {
        try share(SimulatedWorld(devices: [])) { world, time, scope in
            let (central, peripheral) = (try Machine(world, time, scope, 7), try Machine(world, time, scope, 8))
            try await peripheral.privacy.set(peripheral.key)
            for machine in [central, peripheral] {
                _ = try await machine.setup.prepare(.init(), mayPowerCycle: false)
                try await machine.setup.load([])
            }
            let first = try await peripheral.advertise(1)
            _ = try await pair(central, peripheral, at: first, time, scope)
            try await time.sleep(for: .seconds(1))
            let address = try await peripheral.advertise(2)
            let radio = try central.system.radio(named: nil)
            let channel = try await radio.connectATT(to: peripheral.address, deadline: time.now + .seconds(5))
            #expect(central.peers(world) == [address])
            let pairer = Pairer(central.manager, on: ManagementIndex(0), scope: scope, time: time)
            #expect(try await pairer.unpair(peripheral.address))
            try await time.sleep(for: .seconds(1))
            #expect(central.peers(world).isEmpty)
            channel.close()
        }
    }

    @Test func `a scan with private addresses changes its address every quarter of an hour`() throws {
        try share(SimulatedWorld(devices: [])) { world, time, scope in
            let machine = try Machine(world, time, scope, 9)
            let controller = try HCIController.open(machine.system.radio, scope: scope, time: time)
            let privacy = PrivateAddresses(of: machine.identity)
            var seen: [BluetoothAddress] = []
            try await controller.withScan(ScanParameters(), time: time, privacy: privacy) { scan in
                for _ in 0..<3 {
                    try await time.sleep(for: .seconds(60))
                    let state = world.state.withLock { $0.adapters[machine.system.adapter.number]?.controller }
                    #expect(state?.scan.isEnabled == true && state?.scan.ownAddressType == .random)
                    seen.append(try #require(state?.randomAddress))
                    #expect(scan.mode == .extended)
                    try await time.sleep(for: Self.life - .seconds(60))
                    try await time.sleep(for: .milliseconds(10))
                }
            }
            #expect(Set(seen).count == 3)
            #expect(seen.allSatisfy { machine.identity.owns(DeviceAddress($0, .random)) })
        }
    }

    @Test func `addresses without an identity resolve to nothing, and are non-resolvable`() {
        for number: UInt64 in [0, 1, .max, 0x1234_5678_9ABC] {
            let address = DeviceAddress(PrivateAddresses(of: nil, random: { number }).make(), .random)
            #expect(address.kind == .nonResolvable, "\(address)")
        }
        let own = DeviceAddress(BluetoothAddress(rawValue: 1), .public)
        let identity = DeviceIdentity(address: own, key: SecurityKey(5))
        let address = DeviceAddress(PrivateAddresses(of: identity).make(), .random)
        #expect(address.kind == .resolvable && identity.owns(address))
    }
}
