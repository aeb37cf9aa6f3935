// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import Testing

@testable import ControllerRadio

@Suite("The resolving list of a controller")
struct ResolvingListTests {
    private static let commands: [any HCICommand.Type] = [
        LEAddDeviceToResolvingList.self, LEClearResolvingList.self, LEReadResolvingListSize.self,
        LESetAddressResolutionEnable.self, LESetPrivacyMode.self,
    ]
    private static let others = (1...2).map { number in
        DeviceIdentity(
            address: DeviceAddress(BluetoothAddress(rawValue: UInt64(number)), .public),
            key: SecurityKey(UInt128(number))
        )
    }
    private static let identity = DeviceIdentity(address: strap, key: SecurityKey(0x1234))
    private static let private1 = identity.privateAddress(random: 1)

    private static func list(size: Int) -> ResolvingList {
        var facts = ControllerFacts.typical(commands)
        facts.resolvingListSize = size
        return ResolvingList(facts)
    }

    /// Asks for a device to be recognised, and makes all changes but those of a kind.
    private static func ask(
        _ list: inout ResolvingList,
        among known: [DeviceIdentity],
        refusing isRefused: (ResolvingList.Change) -> Bool = { _ in false }
    ) -> [ResolvingList.Change] {
        let changes = list.commands(for: strap, among: known).map(\.1)
        for change in changes { list.answered(change, isMade: !isRefused(change)) }
        return changes
    }

    @Test func `the wanted device is given to the controller, and others as there is room`() {
        var list = Self.list(size: 2)
        let known = Self.others + [Self.identity]
        let given: [ResolvingList.Change] = [
            .clear, .add(Self.identity), .mode, .add(Self.others[0]), .mode, .isOn(true),
        ]
        #expect(Self.ask(&list, among: known) == given)
        #expect(Self.ask(&list, among: known) == [])
        #expect(!list.recognises(strap))
        list.resolved()
        #expect(list.recognises(strap) && !list.recognises(Self.others[1].address))
        // It cannot be changed while it is used.
        #expect(
            Self.ask(&list, among: [Self.identity]) == [.isOn(false), .clear, .add(Self.identity), .mode, .isOn(true)]
        )
        #expect(list.off()?.1 == .isOn(false))
    }

    @Test func `what the controller refuses is not relied on, and asked for again`() {
        var list = Self.list(size: 2)
        list.resolved()
        let full = Self.ask(&list, among: [Self.identity]) { $0 == .add(Self.identity) }
        #expect(!list.recognises(strap) && list.isOn)
        #expect(Self.ask(&list, among: [Self.identity]) == [.isOn(false)] + full)
        #expect(list.recognises(strap))
        var busy = Self.list(size: 2)
        busy.resolved()
        _ = Self.ask(&busy, among: [Self.identity]) { _ in true }
        #expect(!busy.isOn && busy.off() == nil && !busy.recognises(strap))
    }

    @Test func `a program that scans before the controller has answered sees the addresses on the air, too`() {
        var list = Self.list(size: 2)
        let changes = list.commands(for: strap, among: [Self.identity]).map(\.1)
        let off = list.off()?.1
        #expect(off == .isOn(false))
        for change in changes + [off].compactMap(\.self) { list.answered(change, isMade: true) }
        #expect(!list.isOn && list.off() == nil)
        #expect(list.commands(for: strap, among: [Self.identity]).map(\.1) == [.isOn(true)])
    }

    @Test func `a controller without one gets none`() {
        var list = Self.list(size: 0)
        #expect(Self.ask(&list, among: [Self.identity]) == [])
        #expect(ControllerFacts.typical(Self.commands).canResolve)
        #expect(!ControllerFacts.typical(Self.commands.dropLast()).canResolve)
    }

    /// Answers all commands that a host sends with success; returns them.
    private static func serve(_ actions: [HostAction], _ machine: inout HostMachine) -> [HCICommandPacket] {
        var (actions, sent): ([HostAction], [HCICommandPacket]) = (actions, [])
        while let bytes = HostMachineTests.sent(actions).first,
            case .command(let command)? = try? HCIPacket(decoding: bytes), sent.count < 30
        {
            sent.append(command)
            let isAttempt = command.opcode == LECreateConnection.opcode
            let reply = isAttempt ? status(command.opcode) : answer(command.opcode)
            actions = machine.received(HCIPacket.event(reply.packet).encoded(), now: .zero)
        }
        return sent
    }

    @Test
    func `a device that the controller has recognised is connected to by its identity, and paired with by its address`()
        throws
    {
        var machine = HostMachineTests.ready(commands: Self.commands)
        let key = IdentityResolvingKey(device: ManagementAddress(strap), value: Self.identity.key)
        let load = LoadIdentityResolvingKeys([key]).packet(to: ManagementIndex(0)).encoded()
        _ = machine.manage(load, from: ChannelID(rawValue: 1), now: .zero)
        let first = AttemptID(rawValue: 1)
        let sent = Self.serve(machine.connect(first, to: strap, now: .zero), &machine)
        #expect(sent.contains { $0.opcode == LESetAddressResolutionEnable.opcode && $0.parameters == [1] })
        #expect(sent.last?.opcode == LESetScanEnable.opcode)
        // The controller reports the identity.
        let report = AdvertisingReport(
            address: DeviceAddress(strap.address, .randomIdentity),
            properties: .advInd,
            rssi: -60,
            data: []
        )
        let heard = machine.received(packet(LEAdvertisingReportEvent([report])), now: .zero)
        let create = try #require(Self.serve(heard, &machine).last)
        #expect(try LECreateConnection(decoding: create.parameters).peer == strap)
        let link = LEEnhancedConnectionCompleteEvent(
            connected(0x40, to: DeviceAddress(strap.address, .randomIdentity)),
            peerResolvableAddress: Self.private1.address
        )
        let began = machine.received(packet(link), now: .zero)
        #expect(began.contains(.attemptEnded(first, .success(0x40))))
        #expect(machine.security.links[0x40]?.peer == Self.private1)
        #expect(machine.security.handles(of: strap) == [0x40])
        _ = machine.received(
            packet(DisconnectionCompleteEvent(0x40, reason: .remoteUserTerminatedConnection)),
            now: .zero
        )
        // Now it is relied on: nobody has to listen.
        let again = Self.serve(machine.connect(AttemptID(rawValue: 2), to: strap, now: .zero), &machine)
        #expect(again.map(\.opcode) == [LECreateConnection.opcode])
        _ = Self.serve(machine.abandon(AttemptID(rawValue: 2), now: .zero), &machine)
        _ = machine.received(packet(connected(0, to: strap, status: .unknownConnectionIdentifier)), now: .zero)
        // A program that scans sees the addresses that are on the air.
        let scan = LESetScanEnable(isEnabled: true).packet
        let scanned = Self.serve(machine.submit(scan, from: ChannelID(rawValue: 9), now: .zero), &machine)
        #expect(scanned.map(\.opcode) == [LESetAddressResolutionEnable.opcode, LESetScanEnable.opcode])
        #expect(!machine.resolving.isOn)
    }
}
