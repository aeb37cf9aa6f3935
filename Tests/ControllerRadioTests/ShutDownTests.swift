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

    @Test func `a link ends although its peer does not answer what closes a channel, or opens one`() throws {
        for answers in [true, false] {
            let time = VirtualTime()
            let controller = ScriptedController { frame in
                guard answers, let payload = frame?.payload, payload.first == 0x14 else { return [] }
                let answer = [0x15, payload[1], 10, 0, 0x40, 0, 100, 0, 64, 0, 4, 0, 0, 0]
                return [L2CAPFrame(.leSignaling, answer)]
            }
            try time.run {
                try await withTaskScope { scope in
                    let system = ControllerRadioSystem("tcp:rig:1", scope: scope, time: time) {
                        () async throws(RadioError) in
                        controller
                    }
                    try await system.prepare()
                    let channel = try? await system.radio(named: nil).connectL2CAP(
                        to: strap,
                        L2CAPRequest(spsm: SPSM(0x80), mtu: 100),
                        deadline: time.now + .seconds(5),
                        onFrame: nil
                    )
                    #expect((channel != nil) == answers)
                    channel?.close()
                    try await time.sleep(for: .milliseconds(1_999))
                    #expect(!controller.commands.contains(HCIDisconnect.opcode))
                    try await time.sleep(for: .milliseconds(2))
                    #expect(controller.commands.contains(HCIDisconnect.opcode))
                    await system.shutDown()
                }
            }
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
