// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import SimulatedRadio
import Testing

@testable import ControllerRadio

@Suite("The end of a radio on a controller")
struct ShutDownTests {
    /// The time that passes while a radio with a link is shut down, whose link ends by itself after `end`.
    private func duration(on controller: ScriptedController, linkEndsAfter end: Duration? = nil) throws -> Duration {
        let time = VirtualTime()
        return try time.run {
            try await withTaskScope { scope in
                let system = ControllerRadioSystem("tcp:rig:1", scope: scope, time: time) {
                    () async throws(RadioError) in
                    controller
                }
                try await system.prepare()
                let radio = try system.radio(named: nil)
                let channel = try await radio.connectATT(to: strap, deadline: time.now + .seconds(5))
                try channel.send([0x0A, 0x03, 0x00])
                let begin = time.now
                if let end {
                    scope.spawn {
                        try? await time.sleep(until: begin + end)
                        controller.say(DisconnectionCompleteEvent(0x0040, reason: .connectionTimeout))
                    }
                }
                await system.shutDown()
                return time.now - begin
            }
        }
    }

    /// A device that opens every channel, and does not answer what closes one.
    private static func open(_ frame: L2CAPFrame?) -> [L2CAPFrame] {
        guard let payload = frame?.payload, payload.first == 0x14 else { return [] }
        return [L2CAPFrame(.leSignaling, [0x15, payload[1], 10, 0, 0x40, 0, 100, 0, 64, 0, 4, 0, 0, 0])]
    }

    /// Runs a test with a radio on a controller, and with a channel if the device opens one.
    private func withChannel(
        on controller: ScriptedController,
        _ body: @escaping @Sendable (any Radio, (any L2CAPChannel)?, VirtualTime) async throws -> Void
    ) throws {
        let time = VirtualTime()
        try time.run {
            try await withTaskScope { scope in
                let system = ControllerRadioSystem("tcp:rig:1", scope: scope, time: time) {
                    () async throws(RadioError) in
                    controller
                }
                try await system.prepare()
                let radio = try system.radio(named: nil)
                let channel = try? await radio.connectL2CAP(
                    to: strap,
                    L2CAPRequest(spsm: SPSM(0x80), mtu: 100),
                    deadline: time.now + .seconds(5),
                    onFrame: nil
                )
                try await body(radio, channel, time)
                await system.shutDown()
            }
        }
    }

    @Test func `a link ends although its peer does not answer what closes a channel, or opens one`() throws {
        for answers in [true, false] {
            let controller = ScriptedController { answers ? Self.open($0) : [] }
            try withChannel(on: controller) { _, channel, time in
                #expect((channel != nil) == answers)
                channel?.close()
                try await time.sleep(for: .milliseconds(1_999))
                #expect(!controller.commands.contains(HCIDisconnect.opcode))
                try await time.sleep(for: .milliseconds(2))
                #expect(controller.commands.contains(HCIDisconnect.opcode))
            }
        }
    }

    @Test func `the answer that a closed channel is owed is for no later one of its link`() throws {
        let controller = ScriptedController(answersRequests: false, device: Self.open)
        try withChannel(on: controller) { radio, channel, time in
            @Sendable func attributes() async throws -> any ATTChannel {
                try await radio.connectATT(to: strap, deadline: time.now + .seconds(5))
            }
            let first = try await attributes()
            try first.send([0x0A, 0x03, 0x00])
            first.close()
            await #expect(throws: RadioError.self) { _ = try await attributes() }
            controller.pass(L2CAPFrame(.att, [0x1B, 0x03, 0x00, 0x57]))
            controller.pass(L2CAPFrame(.att, [0x0B, 0x03]))
            try await time.sleep(for: .milliseconds(1))
            let second = try await attributes()
            try second.send([0x0A, 0x05, 0x00])
            controller.pass(L2CAPFrame(.att, [0x0B, 0x05]))
            #expect(try await second.receive() == [0x0B, 0x05])
            try second.send([0x0A, 0x07, 0x00])
            second.close()
            // No answer comes so late.
            try await time.sleep(for: .milliseconds(29_999))
            await #expect(throws: RadioError.self) { _ = try await attributes() }
            try await time.sleep(for: .milliseconds(1))
            let third = try await attributes()
            try third.send([0x0A, 0x09, 0x00])
            third.close()
            // The link does not wait for it.
            channel?.close()
            try await time.sleep(for: .seconds(3))
            #expect(controller.commands.contains(HCIDisconnect.opcode))
        }
    }

    @Test func `it takes no time when the controller ends the links at once`() throws {
        #expect(try duration(on: ScriptedController()) == .zero)
    }

    @Test func `it waits for the last data, and then no longer`() throws {
        #expect(try duration(on: ScriptedController(completesPackets: false)) == .milliseconds(500))
    }

    @Test(arguments: [(300, 300), (2_000, 1_000)])
    func `it waits for the end of the last link, for a second at most`(end: Int, expected: Int) throws {
        let controller = ScriptedController(refusing: [HCIDisconnect.opcode])
        #expect(try duration(on: controller, linkEndsAfter: .milliseconds(end)) == .milliseconds(expected))
    }
}
