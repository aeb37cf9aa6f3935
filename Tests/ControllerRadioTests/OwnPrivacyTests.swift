// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import Testing

@testable import ControllerRadio

@Suite("Own private addresses")
struct OwnPrivacyTests {
    private static let identity = DeviceIdentity(address: lamp, key: SecurityKey(0x1234))
    private static let program = ChannelID(rawValue: 3)

    private static func manage(
        _ command: some ManagementCommand,
        _ machine: inout HostMachine,
        from program: ChannelID = program
    ) -> [HostAction] {
        machine.manage(command.packet(to: ManagementIndex(0)).encoded(), from: program, now: .zero)
    }

    /// Connects, answers all commands with success, and returns them.
    private static func connect(
        _ machine: inout HostMachine,
        at milliseconds: Int64,
        refusing refused: HCIOpcode? = nil
    ) -> [HCICommandPacket] {
        let id = AttemptID(rawValue: UInt64(milliseconds + 1))
        var actions = machine.connect(id, to: strap, now: .at(milliseconds))
        var sent: [HCICommandPacket] = []
        while let bytes = HostMachineTests.sent(actions).first,
            case .command(let command)? = try? HCIPacket(decoding: bytes), sent.count < 10
        {
            sent.append(command)
            let isLast = command.opcode == LECreateConnection.opcode
            let reply =
                isLast
                ? status(command.opcode)
                : command.opcode == refused
                    ? status(command.opcode, .commandDisallowed) : answer(command.opcode)
            actions = machine.received(HCIPacket.event(reply.packet).encoded(), now: .at(milliseconds))
        }
        _ = machine.abandon(id, now: .at(milliseconds))
        let cancelled = HCIPacket.event(answer(LECreateConnectionCancel.opcode).packet).encoded()
        _ = machine.received(cancelled, now: .at(milliseconds))
        let end = connected(0, to: strap, status: .unknownConnectionIdentifier)
        _ = machine.received(packet(end), now: .at(milliseconds))
        return sent
    }

    private static func address(_ command: HCICommandPacket?) throws -> DeviceAddress {
        let command = try #require(command)
        try #require(command.opcode == LESetRandomAddress.opcode)
        return DeviceAddress(try LESetRandomAddress(decoding: command.parameters).address, .random)
    }

    @Test func `links are made from an address that resolves by the key, another one each quarter of an hour`() throws {
        var machine = HostMachineTests.ready()
        _ = Self.manage(SetPrivacy(.on, key: Self.identity.key), &machine)
        #expect(machine.security.settings.contains(.privacy))
        let first = Self.connect(&machine, at: 0)
        #expect(first.map(\.opcode) == [LESetRandomAddress.opcode, LECreateConnection.opcode])
        let address = try Self.address(first.first)
        #expect(Self.identity.owns(address) && machine.addresses.ofCentral == address)
        let create = try LECreateConnection(decoding: try #require(first.last).parameters)
        #expect(create.ownAddressType == .random)
        #expect(Self.connect(&machine, at: 899_999).map(\.opcode) == [LECreateConnection.opcode])
        let later = try Self.address(Self.connect(&machine, at: 900_000).first)
        #expect(Self.identity.owns(later) && later != address)
    }

    @Test func `a pairing gives the identity, and counts with the private address`() {
        var machine = HostMachineTests.ready()
        _ = Self.manage(SetPrivacy(.on, key: Self.identity.key), &machine)
        _ = Self.connect(&machine, at: 0)
        _ = machine.received(packet(connected(0x40, to: strap)), now: .at(1))
        #expect(machine.security.links[0x40]?.own == machine.addresses.ofCentral)
        #expect(machine.security.identity?.key == Self.identity.key)
    }

    @Test func `the address of a program's scan will do, if it is one of this machine`() throws {
        var machine = HostMachineTests.ready()
        _ = Self.manage(SetPrivacy(.on, key: Self.identity.key), &machine)
        let other = Self.identity.privateAddress(random: 77)
        _ = machine.submit(LESetRandomAddress(other.address).packet, from: Self.program, now: .zero)
        _ = machine.received(HCIPacket.event(answer(LESetRandomAddress.opcode).packet).encoded(), now: .zero)
        #expect(Self.connect(&machine, at: 1).map(\.opcode) == [LECreateConnection.opcode])
        #expect(machine.addresses.ofCentral == other)
    }

    @Test func `an address that the controller refuses is not counted with`() throws {
        var machine = HostMachineTests.ready()
        _ = Self.manage(SetPrivacy(.on, key: Self.identity.key), &machine)
        let before = try Self.address(Self.connect(&machine, at: 0).first)
        _ = Self.connect(&machine, at: 900_000, refusing: LESetRandomAddress.opcode)
        #expect(machine.addresses.ofCentral == before)
    }

    @Test func `privacy ends with the last program that needs it, also if that was killed`() {
        var machine = HostMachineTests.ready()
        let other = ChannelID(rawValue: 4)
        _ = Self.manage(SetPrivacy(.on, key: Self.identity.key), &machine)
        _ = Self.manage(SetPrivacy(.on, key: Self.identity.key), &machine, from: other)
        _ = Self.connect(&machine, at: 0)
        #expect(machine.ended(Self.program, now: .zero).isEmpty && machine.security.identity != nil)
        let told = NewSettingsEvent(machine.security.settings.subtracting(.privacy)).packet(about: ManagementIndex(0))
        #expect(machine.ended(other, now: .zero) == [.manage(told, .event(except: nil))])
        #expect(machine.security.identity == nil)
        #expect(Self.connect(&machine, at: 1).map(\.opcode) == [LECreateConnection.opcode])
        #expect(machine.addresses.ofCentral.type == .public)
    }

    @Test func `a killed program leaves neither its choices about pairings nor its address`() {
        var machine = HostMachineTests.ready(address: nil)
        let own = machine.addresses.ofCentral
        let settings = machine.security.settings
        _ = Self.manage(SetBondable(false), &machine)
        _ = Self.manage(SetSecureConnections(.only), &machine)
        #expect(machine.security.settings != settings && machine.security.keys.secureConnections == .only)
        _ = machine.ended(Self.program, now: .zero)
        #expect(machine.security.settings == settings && machine.security.keys.secureConnections == .on)
        _ = machine.submit(LESetRandomAddress(strap.address).packet, from: Self.program, now: .zero)
        _ = machine.received(HCIPacket.event(answer(LESetRandomAddress.opcode).packet).encoded(), now: .zero)
        #expect(machine.addresses.ofCentral == strap)
        let packet = HCIPacket.command(LESetRandomAddress(own.address).packet).encoded()
        #expect(machine.closed(Self.program, now: .zero).contains(.transmit(packet)))
        #expect(machine.addresses.ofCentral == own)
    }

    @Test func `an address that the controller refuses to a program is not that of links`() {
        var machine = HostMachineTests.ready(address: nil)
        let own = machine.addresses.ofCentral
        let set = LESetRandomAddress(lamp.address).packet
        _ = machine.submit(set, from: Self.program, now: .zero)
        _ = machine.received(HCIPacket.event(status(set.opcode, .commandDisallowed).packet).encoded(), now: .zero)
        #expect(machine.addresses.ofCentral == own)
    }

    @Test func `the host takes its address again as soon as it can, when a program that has set another one is gone`() {
        var machine = HostMachineTests.ready(address: nil)
        let own = LESetRandomAddress(machine.addresses.ofCentral.address).packet
        let set = LESetRandomAddress(lamp.address).packet
        _ = machine.submit(set, from: Self.program, now: .zero)
        _ = machine.received(HCIPacket.event(answer(set.opcode).packet).encoded(), now: .zero)
        #expect(Self.connect(&machine, at: 2).map(\.opcode) == [LECreateConnection.opcode])
        _ = machine.closed(Self.program, now: .at(3))
        _ = machine.received(HCIPacket.event(status(set.opcode, .commandDisallowed).packet).encoded(), now: .at(3))
        #expect(Self.connect(&machine, at: 0).first == own)
        #expect(Self.connect(&machine, at: 1).map(\.opcode) == [LECreateConnection.opcode])
    }

    @Test func `without privacy the controller's own address is used again`() {
        var machine = HostMachineTests.ready()
        _ = Self.manage(SetPrivacy(.on, key: Self.identity.key), &machine)
        _ = Self.connect(&machine, at: 0)
        _ = Self.manage(SetPrivacy(.off), &machine)
        #expect(Self.connect(&machine, at: 1).map(\.opcode) == [LECreateConnection.opcode])
        #expect(machine.addresses.ofCentral.type == .public && machine.security.identity == nil)
    }
}
