// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import Synchronization
import Testing

@testable import ControllerRadio

@Suite("Pairings and channels over a controller", .timeLimit(.minutes(1)))
struct ControllerPairingTests {
    private static let time = SystemTimeSource { WallTime(nanosecondsSince1970: 0) }

    /// A device that pairs without proof.
    private final class Device: Sendable {
        private let session = Mutex<PairingSession?>(nil)

        func answer(_ frame: L2CAPFrame?) -> [L2CAPFrame] {
            let actions = session.withLock { session -> [PairingSession.Action] in
                guard let frame else { return session?.encrypted(now: .zero) ?? [] }
                guard frame.channel == .securityManager, let pdu = try? PairingPDU(decoding: frame.payload) else {
                    return []
                }
                if case .request(let request) = pdu {
                    let begun = PairingSession.responding(
                        to: request,
                        with: PairingFeatures(
                            ioCapability: .noInputNoOutput,
                            requirements: [.bonding, .secureConnections],
                            initiatorKeys: [.signature],
                            responderKeys: [.identity]
                        ),
                        Self.terms,
                        PairOfSessions.random(9),
                        now: .zero
                    )
                    session = begun.session
                    return begun.actions
                }
                let actions = session?.received(pdu, now: .zero) ?? []
                // Its person agrees at once.
                guard actions.contains(.ask(.consent)) else { return actions }
                return actions + (session?.confirmed(true, now: .zero) ?? [])
            }
            return actions.compactMap { action in
                if case .send(let pdu) = action { L2CAPFrame(.securityManager, pdu.encoded()) } else { nil }
            }
        }

        private static var terms: PairingTerms {
            var terms = PairingTerms(own: strap, peer: lamp)
            terms.identity = DeviceIdentity(address: strap, key: SecurityKey(5))
            return terms
        }
    }

    private struct Agreeing: PairingDelegate {
        func answer(_ prompt: PairingPrompt) async -> PairingAnswer { .yes }

        func took(_ step: PairingStep) async {}
    }

    private func withRadio(
        _ device: @escaping @Sendable (L2CAPFrame?) -> [L2CAPFrame],
        _ body: (any Radio, ControllerRadioSystem, TaskScope) async throws -> Void
    ) async throws {
        let controller = ScriptedController(device: device)
        try await withTaskScope { scope in
            let system = ControllerRadioSystem("tcp:rig:1", scope: scope, time: Self.time) {
                () async throws(RadioError) in
                controller
            }
            try await system.prepare()
            try await body(system.radio(named: nil), system, scope)
            await system.shutDown()
        }
    }

    @Test func `a program pairs as over the kernel, and the bond encrypts`() async throws {
        let device = Device()
        try await withRadio {
            device.answer($0)
        } _: { radio, system, scope in
            let channel = try await radio.connectATT(to: strap, deadline: Self.time.now + .seconds(20))
            let manager = try AdapterManager.open(system, scope: scope, time: Self.time)
            let setup = PairingSetup(manager, on: ManagementIndex(0))
            #expect(try await setup.isPrepared)
            #expect(try await setup.prepare(.init(), mayPowerCycle: false) == false)
            try await setup.load([])
            let pairer = Pairer(manager, on: ManagementIndex(0), scope: scope, time: Self.time)
            let request = Pairer.Request(capability: .noInputNoOutput)
            let pairing = try await pairer.pair(strap, request, delegate: Agreeing())
            #expect(pairing.device == strap && pairing.isBonded && pairing.method == .justWorks)
            #expect(pairing.longTermKeys.map(\.kind) == [.unauthenticatedP256] && pairing.identityKey == SecurityKey(5))
            #expect(channel.security.isEncrypted && channel.security.keySize == 16)
            // It has the level.
            try await channel.raiseSecurity(to: .medium)
            #expect(try await pairer.unpair(strap))
            await manager.close()
        }
    }

    @Test func `without a key nothing is raised, and the link stays`() async throws {
        try await withRadio { _ in
            []
        } _: { radio, _, _ in
            let channel = try await radio.connectATT(to: strap, deadline: Self.time.now + .seconds(20))
            await #expect(throws: RadioError.self) { try await channel.raiseSecurity(to: .medium) }
            #expect(channel.security == LinkSecurity.none)
            try channel.send([0x0A, 0x03, 0x00])
            #expect(try await channel.receive() == [0x01, 0x0A, 0x01, 0x00, 0x0A])
        }
    }

    /// A device with a service of credit-based channels that sends back what it gets.
    private final class Echo: Sendable {
        private let channels = Mutex(CreditBasedChannels())

        init() {
            let limits = CreditBasedLimits(mtu: 100, mps: 50)
            _ = channels.withLock { $0.offer(.init(limits: limits, window: 10), at: SPSM(rawValue: 0x80)) }
        }

        func answer(_ frame: L2CAPFrame?) -> [L2CAPFrame] {
            guard let frame else { return [] }
            return channels.withLock { channels in
                var frames: [L2CAPFrame] = []
                var actions = channels.received(frame, security: .none)
                while !actions.isEmpty {
                    switch actions.removeFirst() {
                    case .send(let frame): frames.append(frame)
                    case .deliver(let unit, let number):
                        actions += channels.unitTaken(on: number) + channels.send(unit, on: number)
                    default: break
                    }
                }
                return frames
            }
        }
    }

    @Test func `a credit-based channel carries units, and its link ends with it`() async throws {
        let echo = Echo()
        try await withRadio {
            echo.answer($0)
        } _: { radio, _, _ in
            let deadline = Self.time.now + .seconds(20)
            let request = L2CAPRequest(spsm: SPSM(rawValue: 0x80), mtu: 200)
            let channel = try await radio.connectL2CAP(to: strap, request, deadline: deadline, onFrame: nil)
            #expect(channel.sendMTU == 100 && channel.connectionHandle == 0x0040)
            for size in [1, 48, 49, 100] {
                let unit = [UInt8](repeating: UInt8(size), count: size)
                try channel.send(unit)
                #expect(try await channel.receive() == unit)
            }
            try await channel.drained()
            #expect(radio.connectedAddresses() == [strap.address])
            channel.close()
            for _ in 0..<2_000 where !radio.connectedAddresses().isEmpty { await Task.yield() }
            #expect(radio.connectedAddresses().isEmpty)
        }
    }

    @Test func `a service that the device does not have is refused, and no link stays`() async throws {
        let echo = Echo()
        try await withRadio {
            echo.answer($0)
        } _: { radio, _, _ in
            let request = L2CAPRequest(spsm: SPSM(rawValue: 0x81), mtu: 200)
            do {
                _ = try await radio.connectL2CAP(
                    to: strap,
                    request,
                    deadline: Self.time.now + .seconds(20),
                    onFrame: nil
                )
                Issue.record("it was opened")
            } catch let error as RadioError {
                #expect(error.cause == .channelRefused(.spsmNotSupported))
            }
        }
    }
}
