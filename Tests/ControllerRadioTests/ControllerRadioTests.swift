// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import Synchronization
import Testing

@testable import ControllerRadio

@Suite("A radio on a controller", .timeLimit(.minutes(1)))
struct ControllerRadioTests {
    private static let time = SystemTimeSource { WallTime(nanosecondsSince1970: 0) }

    /// Runs a test with a radio on a controller.
    private func withRadio(
        on controller: ScriptedController = ScriptedController(),
        _ body: (any Radio, ScriptedController, ControllerRadioSystem) async throws -> Void
    ) async throws {
        try await withTaskScope { scope in
            let system = ControllerRadioSystem("tcp:rig:1", scope: scope, time: Self.time) {
                () async throws(RadioError) in
                controller
            }
            try await system.prepare()
            try await body(system.radio(named: nil), controller, system)
            await system.shutDown()
        }
    }

    private var soon: Instant { Self.time.now + .seconds(20) }

    private func cause(_ body: () async throws -> Void) async -> RadioError.Cause? {
        do {
            try await body()
            return nil
        } catch let error as RadioError {
            return error.cause
        } catch {
            return nil
        }
    }

    @Test func `a controller that nobody needs is not touched`() async {
        await withTaskScope { scope in
            let system = ControllerRadioSystem("unix:x", scope: scope, time: Self.time) { () async throws(RadioError) in
                throw RadioError(.controllerUnreachable, during: "unix:x")
            }
            let before = await cause { _ = try system.radio(named: nil) }
            #expect(before == .noAdapter)
            let needed = await cause { _ = try await system.adapters() }
            #expect(needed == .controllerUnreachable)
            await system.shutDown()
        }
    }

    @Test func `a controller that does not answer gets another attempt, if something was done for it`() async {
        await withTaskScope { scope in
            let controllers = [ScriptedController(isHanging: true), ScriptedController()]
            let attempts = Mutex(0)
            let system = ControllerRadioSystem(
                "usb",
                scope: scope,
                time: Self.time,
                revive: { error, attempt throws(RadioError) in
                    guard error.cause == .controllerSilent, attempt == 1 else { throw error }
                },
                connect: { () async throws(RadioError) in
                    attempts.withLock {
                        $0 += 1
                        return controllers[$0 - 1]
                    }
                }
            )
            let failure = await cause { try await system.prepare() }
            #expect(failure == nil && attempts.withLock { $0 } == 2)
            await system.shutDown()
        }
    }

    @Test(
        arguments: [
            (ScriptedController(version: [0x0A, 0xB, 0, 0x0A, 0x5D, 0x00, 0x61, 0x87]), "Realtek"),
            (ScriptedController(refusing: [LEReadBufferSize.opcode], version: [9, 0, 0, 9, 2, 0, 0, 0]), "Intel"),
        ]
    )
    func `a controller without its firmware is said to be one`(controller: ScriptedController, maker: String) async {
        let failure = await cause { try await withRadio(on: controller) { _, _, _ in } }
        #expect(failure == .attachment(.needsFirmware(of: maker)))
    }

    @Test func `the controller is described by what it has said`() async throws {
        try await withRadio { radio, controller, system in
            #expect(controller.commands.first == HCIReset.opcode)
            #expect(radio.adapter.name == "tcp:rig:1" && radio.adapter.address == lamp.address)
            #expect(radio.adapter.state == .up && radio.adapter.hciVersion?.description == "5.3")
            #expect(radio.adapter.manufacturer == 15 && radio.adapter.isLowEnergyOn == true)
            let adapters = try await system.adapters()
            #expect(adapters == [radio.adapter])
        }
    }

    @Test func `a link carries requests and answers, and ends with its channel`() async throws {
        try await withRadio { radio, controller, _ in
            let channel = try await radio.connectATT(to: strap, deadline: soon)
            #expect(channel.connectionHandle == 0x0040 && channel.maximumMTU == 517 && channel.peer == strap)
            #expect(channel.linkState.interval == LEInterval(rawValue: 0x18))
            #expect(radio.connectedAddresses() == [strap.address])
            #expect(radio.connectedDevice(strap.address) == strap && radio.connectedDevice(lamp.address) == nil)
            try channel.send([0x0A, 0x03, 0x00])
            #expect(try await channel.receive() == [0x01, 0x0A, 0x01, 0x00, 0x0A])
            try await channel.drained()
            #expect(controller.requests == [[0x0A, 0x03, 0x00]])
            #expect(await cause { _ = try await radio.connectATT(to: strap, deadline: soon) } == .channelBusy(by: nil))
            #expect(
                await cause { try channel.send([UInt8](repeating: 0, count: 518)) } == .packetTooLong(518, limit: 517)
            )
            channel.close()
            #expect(await cause { _ = try await channel.receive() } == .closedLocally)
            #expect(await cause { try channel.send([0x0A]) } == .closedLocally)
        }
    }

    @Test func `the end of the radio ends its links first`() async throws {
        let controller = ScriptedController()
        try await withRadio(on: controller) { radio, _, _ in
            _ = try await radio.connectATT(to: strap, deadline: soon)
        }
        #expect(controller.commands.last == HCIDisconnect.opcode)
    }

    @Test func `the peer's end of a link follows its last data`() async throws {
        try await withRadio { radio, controller, _ in
            let channel = try await radio.connectATT(to: strap, deadline: soon)
            controller.pass(L2CAPFrame(.att, [0x1B, 0x03, 0x00, 0x57]))
            controller.say(DisconnectionCompleteEvent(0x0040, reason: .remoteUserTerminatedConnection))
            #expect(try await channel.receive() == [0x1B, 0x03, 0x00, 0x57])
            let end = await cause { _ = try await channel.receive() }
            #expect(end == .closedByPeer(.remoteUserTerminatedConnection))
            // The device can be connected to again.
            _ = try await radio.connectATT(to: strap, deadline: soon)
        }
    }

    @Test func `whoever waits until all is sent learns of the end of the link`() async throws {
        try await withRadio(on: ScriptedController(completesPackets: false)) { radio, controller, _ in
            let channel = try await radio.connectATT(to: strap, deadline: soon)
            for _ in 0..<3 { try channel.send([0x0A, 0x03, 0x00]) }
            let host = try #require(radio as? ControllerRadio).host
            async let end = cause { try await channel.drained() }
            while host.state.withLock({ $0.drainWaiters.isEmpty }) { await Task.yield() }
            controller.say(DisconnectionCompleteEvent(0x0040, reason: .connectionTimeout))
            #expect(await end == .linkLost(.connectionTimeout))
        }
    }

    @Test func `the channel of an earlier link does not touch a later one with its handle`() async throws {
        try await withRadio { radio, controller, _ in
            let earlier = try await radio.connectATT(to: strap, deadline: soon)
            controller.say(DisconnectionCompleteEvent(0x0040, reason: .connectionTimeout))
            #expect(await cause { _ = try await earlier.receive() } == .linkLost(.connectionTimeout))
            let later = try await radio.connectATT(to: strap, deadline: soon)
            #expect(later.connectionHandle == earlier.connectionHandle)
            #expect(await cause { try earlier.send([0x0A]) } == .linkLost(.connectionTimeout))
            #expect(await cause { try await earlier.drained() } == .linkLost(.connectionTimeout))
            earlier.close()
            #expect(earlier.linkState == LinkState() && later.linkState != LinkState())
            try later.send([0x0A, 0x03, 0x00])
            #expect(try await later.receive() == [0x01, 0x0A, 0x01, 0x00, 0x0A])
            #expect(!controller.commands.contains(HCIDisconnect.opcode))
        }
    }

    @Test func `an attempt without an answer ends in time, and is cancelled`() async throws {
        try await withRadio { radio, controller, _ in
            let end = await cause {
                _ = try await radio.connectATT(
                    to: ScriptedController.absent,
                    deadline: Self.time.now + .milliseconds(30)
                )
            }
            #expect(end == .connectTimedOut)
            #expect(controller.commands.last == LECreateConnectionCancel.opcode)
            _ = try await radio.connectATT(to: strap, deadline: soon)
        }
    }

    @Test func `centrals come to the listener, of which there is one`() async throws {
        try await withRadio { radio, controller, _ in
            let listener = try radio.listenATT()
            #expect(await cause { _ = try radio.listenATT() } == .servingTaken(by: nil))
            controller.say(connected(0x0040, to: strap, as: .peripheral))
            controller.pass(L2CAPFrame(.att, [0x0A, 0x03, 0x00]))
            let channel = try await listener.accept()
            #expect(channel.peer == strap && channel.linkState.role == .peripheral)
            #expect(try await channel.receive() == [0x0A, 0x03, 0x00])
            listener.close()
            #expect(await cause { _ = try await listener.accept() } == .closedLocally)
            try radio.listenATT().close()
        }
    }

    @Test func `a channel that needs security is not opened where the central gives none in time`() async throws {
        try await withRadio { radio, controller, _ in
            let listener = try radio.listenATT()
            controller.say(connected(0x0040, to: strap, as: .peripheral))
            _ = try await listener.accept()
            let host = try #require(radio as? ControllerRadio).host
            let key = LongTermKey(
                device: ManagementAddress(strap),
                kind: .unauthenticatedP256,
                isCentral: false,
                value: SecurityKey(1)
            )
            host.state.withLock { $0.machine.security.keys.longTermKeys = [key] }
            let end = await cause {
                _ = try await radio.connectL2CAP(
                    to: strap,
                    L2CAPRequest(spsm: SPSM(0x0080), mtu: 100, security: .medium),
                    deadline: Self.time.now + .milliseconds(30),
                    onFrame: nil
                )
            }
            #expect(end == .connectTimedOut)
        }
    }

    @Test func `enhanced bearers carry units, and end with the ATT channel of their link`() async throws {
        let controller = ScriptedController { frame in
            guard let frame else { return [] }
            guard frame.channel == .leSignaling else { return [frame] }
            // Two of three channels open.
            let channels: [UInt8] = [0x40, 0, 0x41, 0, 0, 0]
            let answer = [0x18, frame.payload[1], 14, 0, 100, 0, 64, 0, 8, 0, 4, 0] + channels
            return frame.payload[0] == 0x17 ? [L2CAPFrame(.leSignaling, answer)] : []
        }
        try await withRadio(on: controller) { radio, controller, _ in
            let channel = try await radio.connectATT(to: strap, deadline: soon)
            #expect(channel.enhancedBearerLimit == 5)
            let bearers = try await channel.openEnhancedBearers(3)
            #expect(bearers.map(\.sendMTU) == [100, 100] && bearers.map(\.receiveMTU) == [517, 517])
            for bearer in bearers {
                try bearer.send([0x0A, 0x03, 0x00])
                #expect(try await bearer.receive() == [0x0A, 0x03, 0x00])
            }
            // The link does not wait for them, as it does for other channels.
            channel.close()
            #expect(await cause { _ = try await bearers[0].receive() } == .closedLocally)
            #expect(controller.commands.last == HCIDisconnect.opcode)
        }
    }

    @Test func `bearers of the peer are refused where nobody wants them, and without encryption`() async throws {
        let (answers, continuation) = AsyncStream<[UInt8]>.makeStream()
        let controller = ScriptedController { frame in
            if let frame { continuation.yield(frame.payload) }
            return []
        }
        try await withRadio(on: controller) { radio, controller, _ in
            let listener = try radio.listenATT()
            controller.say(connected(0x0040, to: strap, as: .peripheral))
            let channel = try await listener.accept()
            let request: [UInt8] = [0x17, 1, 10, 0, 0x27, 0, 100, 0, 64, 0, 4, 0, 0x40, 0]
            var answer = answers.makeAsyncIterator()
            controller.pass(L2CAPFrame(.leSignaling, request))
            #expect(await answer.next()?[10] == 0x02, "no such service")
            await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { _ = try await channel.acceptEnhancedBearer() }
                var result: UInt8?
                // The task above may not have begun yet.
                repeat {
                    controller.pass(L2CAPFrame(.leSignaling, request))
                    result = await answer.next()?[10]
                } while result == 0x02
                #expect(result == 0x05, "insufficient authentication")
                channel.close()
                #expect(await group.nextResult().map { (try? $0.get()) == nil } == true, "the wait has ended")
            }
        }
    }

    @Test func `each channel sees all events, and the commands of others`() async throws {
        try await withRadio { radio, controller, _ in
            let (first, second) = (try radio.openHCI(), try radio.openHCI(for: .questions))
            let command = HCIPacket.command(HCIReadRSSI(0x0040).packet).encoded()
            try first.send(command)
            let answer = try await first.receive()
            #expect(answer == [0x04, 0x0E, 0x07, 0x01, 0x05, 0x14, 0x00, 0x40, 0x00, 0xC4])
            #expect(try await second.receive() == answer)
            try second.send(command)
            #expect(try await first.receive() == command)
            #expect(try await first.receive() == answer)
            controller.say(connected(0x0040, to: strap, as: .peripheral))
            #expect(try await first.receive() == packet(connected(0x0040, to: strap, as: .peripheral)))
            #expect(await cause { try first.send([0x02, 0x40, 0x00, 0x00, 0x00]) } == .unsupported)
            first.close()
            #expect(await cause { _ = try await first.receive() } == .closedLocally)
            #expect(await cause { try first.send(command) } == .closedLocally)
        }
    }

    @Test(arguments: [nil, [0x04, 0x0E, 0x00, 0x99]] as [[UInt8]?])
    func `the end of the transport, and what is no packet, end everything`(octets: [UInt8]?) async throws {
        try await withRadio { radio, controller, _ in
            let channel = try await radio.connectATT(to: strap, deadline: soon)
            let (events, listener) = (try radio.openHCI(), try radio.listenATT())
            if let octets { controller.say(octets) } else { controller.end() }
            let expected = octets == nil ? RadioError.Cause.controllerGone : .controllerGarbled
            #expect(await cause { _ = try await channel.receive() } == expected)
            #expect(await cause { _ = try await listener.accept() } == expected)
            #expect(await cause { while true { _ = try await events.receive() } } == expected)
            #expect(await cause { _ = try await radio.connectATT(to: strap, deadline: soon) } == expected)
            #expect(await cause { _ = try radio.openHCI() } == expected)
            #expect(await cause { _ = try radio.listenATT() } == expected)
        }
    }

    @Test func `a controller that cannot be used is an error`() async throws {
        for (opcode, expected) in [
            (HCIReset.opcode, RadioError.Cause.commandRejected(.unknownHCICommand)),
            (LEReadBufferSize.opcode, .commandRejected(.unknownHCICommand)),
        ] {
            let controller = ScriptedController(refusing: [opcode])
            #expect(await cause { try await withRadio(on: controller) { _, _, _ in } } == expected)
        }
    }
}
