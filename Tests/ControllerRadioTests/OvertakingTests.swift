// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import Testing

@testable import ControllerRadio

@Suite("Events and data that overtake each other")
struct OvertakingTests {
    /// A host with a link to the strap that it is encrypting.
    private static func encrypting() -> HostMachine {
        var machine = HostMachineTests.linked()
        machine.security.keys.longTermKeys = [
            LongTermKey(
                device: ManagementAddress(strap),
                kind: .unauthenticatedP256,
                isCentral: false,
                value: SecurityKey(0xAB)
            )
        ]
        _ = machine.raise(0x40, to: .medium, RaisingID(rawValue: 1), now: .zero)
        _ = machine.received(HCIPacket.event(status(LEEnableEncryption.opcode).packet).encoded(), now: .zero)
        return machine
    }

    /// The frames that are handed on.
    private static func frames(_ actions: [HostAction]) -> [L2CAPFrame] {
        actions.compactMap { if case .received(let frame, _) = $0 { frame } else { nil } }
    }

    private static let values = (0..<40 as Range<UInt8>).map { L2CAPFrame(.att, [0x1B, 0x03, 0x00, $0]) }

    @Test func `data that overtake the event of their encryption wait for it`() {
        let events = [
            packet(EncryptionChangeEvent(0x40, encryption: 1)), packet(EncryptionKeyRefreshCompleteEvent(0x40)),
            packet(EncryptionChangeEvent(status: .pinOrKeyMissing, 0x40, encryption: 0)),
        ]
        for event in events {
            var machine = Self.encrypting()
            for frame in Self.values.prefix(2) {
                #expect(machine.received(HostMachineTests.data(0x40, frame), now: .at(5)) == [])
            }
            #expect(machine.nextDeadline == .at(25))
            let actions = machine.received(event, now: .at(6))
            #expect(Self.frames(actions) == Array(Self.values.prefix(2)))
            #expect(actions.last == .received(Self.values[1], on: 0x40), "behind what the event says")
            #expect(
                Self.frames(machine.received(HostMachineTests.data(0x40, Self.values[2]), now: .at(7))) == [
                    Self.values[2]
                ]
            )
        }
    }

    @Test func `data of a link that is being encrypted wait only for a moment, in their order, and are not lost`() {
        var machine = Self.encrypting()
        var frames: [L2CAPFrame] = []
        for frame in Self.values {
            frames += Self.frames(machine.received(HostMachineTests.data(0x40, frame), now: .at(5)))
        }
        #expect(frames == Array(Self.values.prefix(EarlyData.limit + 1)))
        #expect(machine.timerFired(now: .at(24)) == [])
        frames += Self.frames(machine.timerFired(now: .at(25)))
        #expect(frames == Self.values)
        #expect(machine.received(HostMachineTests.data(0x40, Self.values[0]), now: .at(30)) == [])
        let over = machine.received(
            packet(DisconnectionCompleteEvent(0x40, reason: .remoteUserTerminatedConnection)),
            now: .at(31)
        )
        #expect(Self.frames(over) == [Self.values[0]])
        #expect(over.last == .linkEnded(0x40, .closedByPeer(.remoteUserTerminatedConnection)))
    }

    @Test
    func `a link with the handle of one that has just ended gets neither its data nor the answers to its commands`() {
        var machine = HostMachineTests.linked()
        #expect(HostMachineTests.commands(machine.end(0x40, now: .zero)) == [HCIDisconnect.opcode])
        let reason = HCIStatus.remoteUserTerminatedConnection
        _ = machine.received(packet(DisconnectionCompleteEvent(0x40, reason: reason)), now: .at(1))
        _ = machine.received(HostMachineTests.data(0x40, Self.values[0]), now: .at(2))
        let began = machine.received(packet(connected(0x40, to: lamp, as: .peripheral)), now: .at(10))
        #expect(Self.frames(began).isEmpty)
        let refused = HCIPacket.event(status(HCIDisconnect.opcode, .unknownConnectionIdentifier).packet).encoded()
        let actions = machine.received(refused, now: .at(11))
        #expect(actions == [.showEvent(refused)] && machine.links.count == 1)
    }
}
