// SPDX-License-Identifier: MIT

import Bluetooth
import SimulatedRadio
import Testing

@testable import BluetoothHost
@testable import RadioSharing

@Suite("Several systems as one machine")
struct JointRadioSystemTests {
    private static let names = ["ssh:rack1", "ssh:rack2/hci0"]

    private static func machine(_ time: VirtualTime, _ scope: TaskScope) -> SimulatedRadioSystem {
        SimulatedRadioSystem(SimulatedWorld(devices: []), time: time, scope: scope)
    }

    /// A machine of the kernel, two controllers elsewhere, and one that cannot be reached.
    private static func joint(_ time: VirtualTime, _ scope: TaskScope) -> JointRadioSystem {
        var parts = [JointRadioSystem.Part { () async throws(RadioError) in machine(time, scope) }]
        for name in names {
            parts.append(JointRadioSystem.Part(named: name) { () async throws(RadioError) in machine(time, scope) })
        }
        parts.append(
            JointRadioSystem.Part(named: "tcp:gone:1") { () async throws(RadioError) in
                throw RadioError(.controllerUnreachable, during: "tcp:gone:1")
            }
        )
        return JointRadioSystem(parts, scope: scope, time: time)
    }

    @Test func `each adapter has its name and a number of its own`() throws {
        let adapters = try inVirtualTime { time, scope in try await Self.joint(time, scope).adapters() }
        #expect(adapters.map(\.name) == ["hci0"] + Self.names)
        #expect(adapters.map(\.index) == [0, 257, 258])
    }

    @Test func `an adapter is found by its name, and the failure of one is its own`() throws {
        try inVirtualTime { time, scope in
            let joint = Self.joint(time, scope)
            try await joint.prepare()
            #expect(try joint.radio(named: nil).adapter.name == "hci0")
            for name in ["hci0"] + Self.names { #expect(try joint.radio(named: name).adapter.name == name) }
            let lost = #expect(throws: RadioError.self) { try joint.radio(named: "tcp:gone:1") }
            #expect(lost?.cause == .controllerUnreachable)
            let strange = #expect(throws: RadioError.self) { try joint.radio(named: "hci7") }
            #expect(strange?.cause == .adapterNotFound("hci7"))
        }
    }

    @Test func `without any part that can be reached, the first failure is told`() throws {
        try inVirtualTime { time, scope in
            let parts = [RadioError.Cause.controllerSilent, .controllerUnreachable].map { cause in
                JointRadioSystem.Part(named: "tcp:\(cause):1") { () async throws(RadioError) in
                    throw RadioError(cause, during: "test")
                }
            }
            let joint = JointRadioSystem(parts, scope: scope, time: time)
            let failure = await #expect(throws: RadioError.self) { try await joint.adapters() }
            #expect(failure?.cause == .controllerSilent)
        }
    }

    @Test func `a command goes to the adapter that it names`() throws {
        let states = try inVirtualTime { time, scope in
            let joint = Self.joint(time, scope)
            let adapters = try await joint.adapters()
            let manager = try AdapterManager.open(joint, scope: scope, time: time)
            try await manager.perform(SetPowered(false), on: ManagementIndex(adapters[1].index))
            return try await joint.adapters().map(\.state)
        }
        #expect(states == [.up, .down, .up])
    }

    @Test func `a management channel that ends is an adapter that is gone, and the others go on`() throws {
        try inVirtualTime { time, scope in
            let (one, other) = (KeptChannel(), KeptChannel())
            let branches = [("a", one, 1), ("b", other, 2)].map { name, channel, number in
                JointManagementChannel.Branch(
                    part: JointPart(
                        system: Self.machine(time, scope),
                        identity: .init(name: name, own: ManagementIndex(0), here: ManagementIndex(number))
                    ),
                    channel: channel
                )
            }
            let joint = try JointManagementChannel(branches, scope: scope)
            let question = ReadControllerInformation.opcode.rawValue
            for number in 1...2 {
                let command = ManagementPacket(code: question, adapter: ManagementIndex(number), parameters: [])
                try joint.send(command.encoded())
            }
            for channel in [one, other] {
                let sent = try channel.sent.map { try ManagementPacket(decoding: $0) }
                #expect(sent.map(\.adapter) == [ManagementIndex(0)])
            }

            one.queue.finish(RadioError(.controllerGone, during: "test"))
            let refusal = try ManagementPacket(decoding: try await joint.receive())
            #expect(refusal.code == ManagementCommandStatusEvent.code && refusal.adapter == ManagementIndex(1))
            let removal = try ManagementPacket(decoding: try await joint.receive())
            #expect(removal.code == IndexRemovedEvent.code && removal.adapter == ManagementIndex(1))
            try joint.send(ManagementPacket(code: question, adapter: ManagementIndex(1), parameters: []).encoded())
            #expect(try ManagementPacket(decoding: try await joint.receive()) == refusal)

            other.queue.push(IndexRemovedEvent().packet(about: ManagementIndex(0)).encoded())
            #expect(try ManagementPacket(decoding: try await joint.receive()).adapter == ManagementIndex(2))
            other.queue.finish(RadioError(.controllerGone, during: "test"))
            _ = try await joint.receive()
            _ = try await joint.receive()
            let end = await #expect(throws: RadioError.self) { try await joint.receive() }
            #expect(end?.cause == .controllerGone)
        }
    }
}
