// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import Testing

@testable import ControllerRadio

@Suite("Host on a controller")
struct HostMachineTests {
    private static let channel = ChannelID(rawValue: 7)

    /// A host whose controller is up.
    static func ready(
        address: BluetoothAddress? = lamp.address,
        commands: [any HCICommand.Type] = []
    ) -> HostMachine {
        var machine = HostMachine(randomAddress: BluetoothAddress(rawValue: 0xC0_00_00_00_00_01))
        var actions = machine.begin(now: .zero)
        var count = 0
        while case .transmit(let packet)? = actions.last, count < 50 {
            count += 1
            let opcode = HCIOpcode(rawValue: UInt16(packet[1]) | UInt16(packet[2]) << 8)
            let parameters: [UInt8] =
                switch opcode {
                case LEReadBufferSize.opcode: [27, 0, 2]
                case HCIReadBDADDR.opcode: (address ?? BluetoothAddress(rawValue: 0)).encoded()
                case LEReadFilterAcceptListSize.opcode: [4]
                case LEReadResolvingListSize.opcode: [2]
                case HCIReadLocalSupportedCommands.opcode where !commands.isEmpty:
                    HCISupportedCommands(commands).encoded()
                default: []
                }
            actions = machine.received(HCIPacket.event(answer(opcode, parameters).packet).encoded(), now: .zero)
        }
        guard case .ready? = actions.last else { preconditionFailure("\(actions)") }
        return machine
    }

    /// A host with a link to the strap.
    static func linked(as role: LERole = .central) -> HostMachine {
        var machine = ready()
        if role == .central {
            _ = machine.connect(AttemptID(rawValue: 1), to: strap, now: .zero)
            _ = machine.received(HCIPacket.event(status(LECreateConnection.opcode).packet).encoded(), now: .zero)
        }
        _ = machine.received(packet(connected(0x40, to: strap, as: role)), now: .zero)
        return machine
    }

    static func data(_ handle: ConnectionHandle, _ frame: L2CAPFrame) -> [UInt8] {
        HCIPacket.acl(HCIACLPacket(frame, on: handle, isFromHost: false)).encoded()
    }

    /// The packets that are sent.
    static func sent(_ actions: [HostAction]) -> [[UInt8]] {
        actions.compactMap { if case .transmit(let packet) = $0 { packet } else { nil } }
    }

    /// All but management events.
    private static func others(_ actions: [HostAction]) -> [HostAction] {
        actions.filter { if case .manage = $0 { false } else { true } }
    }

    static func commands(_ actions: [HostAction]) -> [HCIOpcode] {
        sent(actions).filter { $0[0] == 0x01 }.map { HCIOpcode(rawValue: UInt16($0[1]) | UInt16($0[2]) << 8) }
    }

    @Test func `the setup is seen by no channel, and events from before it are dropped`() {
        var machine = HostMachine(randomAddress: BluetoothAddress(rawValue: 0))
        #expect(Self.commands(machine.begin(now: .zero)) == [HCIReset.opcode])
        #expect(machine.received(packet(connected(0x40, to: strap)), now: .zero) == [])
        #expect(machine.received(packet(HardwareErrorEvent(hardwareCode: 1)), now: .zero) == [])
        let next = machine.received(HCIPacket.event(answer(HCIReset.opcode).packet).encoded(), now: .zero)
        #expect(Self.commands(next) == [HCIReadLocalVersionInformation.opcode])
        #expect(!next.contains { if case .showEvent = $0 { true } else { false } })
    }

    @Test func `a controller that does not answer at the beginning is silent`() {
        var machine = HostMachine(randomAddress: BluetoothAddress(rawValue: 0))
        _ = machine.begin(now: .zero)
        #expect(machine.nextDeadline == .at(2_000))
        #expect(machine.timerFired(now: .at(2_000)) == [.failed(.controllerSilent)])
        #expect(machine.received(packet(connected(0x40, to: strap)), now: .zero) == [])
    }

    @Test func `a channel's command is shown to the others, and its answer to all`() {
        var machine = Self.ready()
        let command = HCIReadRSSI(0x40).packet
        let bytes = HCIPacket.command(command).encoded()
        #expect(
            machine.submit(command, from: Self.channel, now: .zero)
                == [.showCommand(bytes, from: Self.channel), .transmit(bytes)]
        )
        let answered = HCIPacket.event(answer(command.opcode, [0x40, 0, 0xC4]).packet).encoded()
        #expect(machine.received(answered, now: .zero) == [.showEvent(answered)])
    }

    @Test func `what a channel has left switched on is switched off at its end`() throws {
        let sets = [1, 2].map {
            LESetExtendedAdvertisingEnable.AdvertisingSet(LEAdvertisingHandle(rawValue: $0))
        }
        let commands = [
            LESetScanEnable(isEnabled: true).packet, LESetAdvertisingEnable(isEnabled: true).packet,
            LESetAdvertisingEnable(isEnabled: false).packet, LESetExtendedScanEnable(isEnabled: true).packet,
            try #require(LESetExtendedAdvertisingEnable(isEnabled: true, sets: sets)).packet,
            try #require(LESetExtendedAdvertisingEnable(isEnabled: false, sets: [sets[0]])).packet,
        ]
        var machine = Self.ready()
        func answered(_ actions: [HostAction]) -> [[UInt8]] {
            var (sent, next) = ([[UInt8]](), Self.sent(actions))
            while let packet = next.first, sent.count < 10 {
                sent.append(packet)
                let opcode = HCIOpcode(rawValue: UInt16(packet[1]) | UInt16(packet[2]) << 8)
                next = Self.sent(machine.received(HCIPacket.event(answer(opcode).packet).encoded(), now: .zero))
            }
            return sent
        }
        for command in commands { _ = answered(machine.submit(command, from: Self.channel, now: .zero)) }
        #expect(answered(machine.closed(ChannelID(rawValue: 8), now: .zero)) == [])
        let left = [
            LESetScanEnable(isEnabled: false).packet, LESetExtendedScanEnable(isEnabled: false).packet,
            try #require(LESetExtendedAdvertisingEnable(isEnabled: false, sets: [sets[1]])).packet,
        ]
        #expect(answered(machine.closed(Self.channel, now: .zero)) == left.map { HCIPacket.command($0).encoded() })
        #expect(answered(machine.closed(Self.channel, now: .zero)) == [])
    }

    @Test func `what a channel still wants at its end is done before it is switched off`() {
        var machine = Self.ready()
        _ = machine.submit(HCIReadRSSI(0x40).packet, from: Self.channel, now: .zero)
        _ = machine.submit(LESetScanEnable(isEnabled: true).packet, from: Self.channel, now: .zero)
        #expect(Self.sent(machine.closed(Self.channel, now: .zero)) == [])
        var sent: [[UInt8]] = []
        for opcode in [HCIReadRSSI.opcode, LESetScanEnable.opcode, LESetScanEnable.opcode] {
            sent += Self.sent(machine.received(HCIPacket.event(answer(opcode).packet).encoded(), now: .zero))
        }
        let scans = [true, false].map { HCIPacket.command(LESetScanEnable(isEnabled: $0).packet).encoded() }
        #expect(sent == scans)
    }

    @Test func `a controller that never reports the end of a cancelled attempt makes the next one after two seconds`() {
        var machine = Self.ready()
        let cancelled = HCIPacket.event(answer(LECreateConnectionCancel.opcode).packet).encoded()
        _ = machine.connect(AttemptID(rawValue: 1), to: strap, now: .zero)
        _ = machine.received(HCIPacket.event(status(LECreateConnection.opcode).packet).encoded(), now: .zero)
        #expect(Self.commands(machine.abandon(AttemptID(rawValue: 1), now: .zero)) == [LECreateConnectionCancel.opcode])
        _ = machine.received(cancelled, now: .at(100))
        #expect(Self.commands(machine.connect(AttemptID(rawValue: 2), to: lamp, now: .at(200))) == [])
        #expect(machine.nextDeadline == .at(2_100))
        #expect(Self.commands(machine.timerFired(now: .at(2_099))) == [])
        #expect(Self.commands(machine.timerFired(now: .at(2_100))) == [LECreateConnection.opcode])
        _ = machine.received(HCIPacket.event(status(LECreateConnection.opcode).packet).encoded(), now: .at(2_101))
        // The time counts from the answer to each cancellation.
        #expect(
            Self.commands(machine.abandon(AttemptID(rawValue: 2), now: .at(3_000))) == [LECreateConnectionCancel.opcode]
        )
        #expect(machine.nextDeadline == .at(5_000), "the answer's")
        _ = machine.received(cancelled, now: .at(4_000))
        #expect(machine.nextDeadline == .at(6_000))
    }

    @Test func `an attempt leads to a link, and the link to its state`() {
        var machine = Self.ready()
        let id = AttemptID(rawValue: 1)
        #expect(Self.commands(machine.connect(id, to: strap, now: .zero)) == [LECreateConnection.opcode])
        _ = machine.received(HCIPacket.event(status(LECreateConnection.opcode).packet).encoded(), now: .zero)
        let event = packet(connected(0x40, to: strap))
        #expect(
            Self.others(machine.received(event, now: .zero))
                == [
                    .showEvent(event), .linkBegan(0x40, LinkOrigin(peer: strap, role: .central)),
                    .attemptEnded(id, .success(0x40)),
                ]
        )
        let state = machine.linkState(of: 0x40)
        #expect(state.role == .central && state.interval == LEInterval(rawValue: 0x18))
        #expect(state.transmitPHY == .le1M && state.transmitLength?.octets == 27)
    }

    @Test func `a central that connects is no end of an attempt`() {
        var machine = Self.ready()
        _ = machine.connect(AttemptID(rawValue: 1), to: strap, now: .zero)
        _ = machine.received(HCIPacket.event(status(LECreateConnection.opcode).packet).encoded(), now: .zero)
        let event = packet(connected(0x41, to: lamp, as: .peripheral))
        let origin = LinkOrigin(peer: lamp, role: .peripheral)
        let began = machine.received(event, now: .zero)
        #expect(Self.others(began) == [.showEvent(event), .linkBegan(0x41, origin)])
        #expect(machine.initiator.attemptIDs.count == 1)
    }

    @Test func `an attempt that the controller refuses for another one is awaited as on the kernel`() {
        var machine = Self.ready()
        let id = AttemptID(rawValue: 1)
        _ = machine.connect(id, to: strap, now: .zero)
        let refused = HCIPacket.event(status(LECreateConnection.opcode, .commandDisallowed).packet).encoded()
        let ended = machine.received(refused, now: .zero)
        #expect(ended.last == .attemptEnded(id, .failure(AttemptFailure(cause: .initiatorBusy))))
    }

    @Test func `the end of directed advertising is no end of an attempt`() {
        var machine = Self.ready()
        _ = machine.connect(AttemptID(rawValue: 1), to: strap, now: .zero)
        _ = machine.received(HCIPacket.event(status(LECreateConnection.opcode).packet).encoded(), now: .zero)
        let event = packet(connected(0, to: lamp, as: .peripheral, status: .advertisingTimeout))
        #expect(machine.received(event, now: .zero) == [.showEvent(event)])
        #expect(machine.initiator.attemptIDs.count == 1)
    }

    @Test func `frames reach their channel, those before the link's event too`() {
        var machine = Self.ready()
        let frame = L2CAPFrame(.att, [0x0A, 0x03, 0x00])
        #expect(machine.received(Self.data(0x40, frame), now: .zero) == [])
        let actions = machine.received(packet(connected(0x40, to: strap, as: .peripheral)), now: .at(10))
        #expect(actions.last == .received(frame, on: 0x40))
        #expect(machine.received(Self.data(0x40, frame), now: .zero) == [.received(frame, on: 0x40)])
    }

    @Test func `a link's data wait for the controller's buffers`() {
        var machine = Self.linked()
        let frame = L2CAPFrame(.att, [UInt8](repeating: 1, count: 60))
        #expect(Self.sent(machine.send(frame, on: 0x40)).count == 2)
        let completed = packet(NumberOfCompletedPacketsEvent([.init(0x40, count: 2)]))
        let actions = machine.received(completed, now: .zero)
        #expect(Self.sent(actions).count == 1 && actions.last == .drained(0x40))
        // What the peer has is not for channels.
        #expect(!actions.contains(.showEvent(completed)))
    }

    @Test func `a link ends after its last data, or after half a second`() {
        var machine = Self.linked()
        _ = machine.send(L2CAPFrame(.att, [0x52, 0x03, 0x00, 0x01]), on: 0x40)
        #expect(machine.end(0x40, now: .zero) == [])
        #expect(machine.nextDeadline == .at(500))
        var late = machine
        let completed = packet(NumberOfCompletedPacketsEvent([.init(0x40, count: 1)]))
        #expect(Self.commands(machine.received(completed, now: .at(1))) == [HCIDisconnect.opcode])
        #expect(Self.commands(late.timerFired(now: .at(500))) == [HCIDisconnect.opcode])
        #expect(machine.end(0x40, now: .at(2)) == [])
        let over = packet(DisconnectionCompleteEvent(0x40, reason: .connectionTerminatedByLocalHost))
        let ended = machine.received(over, now: .at(3))
        #expect(Self.others(ended) == [.showEvent(over), .linkEnded(0x40, .closedLocally)])
        #expect(machine.linkState(of: 0x40) == LinkState())
    }

    @Test func `a controller that does not end a link is told again, and one that has none has lost it`() {
        var machine = Self.linked()
        #expect(Self.commands(machine.end(0x40, now: .zero)) == [HCIDisconnect.opcode])
        let refused = HCIPacket.event(status(HCIDisconnect.opcode, .commandDisallowed).packet).encoded()
        #expect(Self.commands(machine.received(refused, now: .zero)) == [])
        #expect(machine.nextDeadline == .at(500))
        #expect(Self.commands(machine.timerFired(now: .at(500))) == [HCIDisconnect.opcode])
        let unknown = HCIPacket.event(status(HCIDisconnect.opcode, .unknownConnectionIdentifier).packet).encoded()
        #expect(machine.received(unknown, now: .at(501)).last == .linkEnded(0x40, .linkLost(.unspecifiedError)))
        #expect(machine.links.isEmpty)
    }

    @Test(
        arguments: [
            (.connectionTimeout, .linkLost(.connectionTimeout)),
            (.remoteUserTerminatedConnection, .closedByPeer(.remoteUserTerminatedConnection)),
            (.connectionFailedToBeEstablished, .connectFailed(.connectionFailedToBeEstablished)),
            (.pinOrKeyMissing, .authenticationFailed),
        ] as [(HCIStatus, RadioError.Cause)]
    )
    func `the reason of an end is the cause of its error`(reason: HCIStatus, cause: RadioError.Cause) {
        var machine = Self.linked()
        let actions = machine.received(packet(DisconnectionCompleteEvent(0x40, reason: reason)), now: .zero)
        #expect(actions.last == .linkEnded(0x40, cause))
    }

    @Test func `questions of the controller are answered at once`() {
        var machine = Self.linked()
        let key = packet(LELongTermKeyRequestEvent(0x40, randomNumber: 1, diversifier: 2))
        #expect(Self.commands(machine.received(key, now: .zero)) == [LELongTermKeyRequestNegativeReply.opcode])
        machine = Self.linked()
        func request(_ interval: UInt32) -> [UInt8] {
            packet(
                LERemoteConnectionParameterRequestEvent(
                    0x40,
                    minimumInterval: LEInterval(rawValue: interval),
                    maximumInterval: LEInterval(rawValue: interval),
                    latency: 0,
                    supervisionTimeout: LEInterval(rawValue: 100)
                )
            )
        }
        let granted = LERemoteConnectionParameterRequestReply.opcode
        #expect(Self.commands(machine.received(request(12), now: .zero)) == [granted])
        machine = Self.linked()
        let refused = LERemoteConnectionParameterRequestNegativeReply.opcode
        #expect(Self.commands(machine.received(request(1), now: .zero)) == [refused])
    }

    @Test func `a packet of the peer's Security Manager is shown to observers, and answered`() {
        var machine = Self.linked(as: .peripheral)
        let request = L2CAPFrame(.securityManager, [0x01, 0x03, 0x00, 0x01, 0x10, 0x00, 0x00])
        let actions = machine.received(Self.data(0x40, request), now: .zero)
        let answer = L2CAPFrame(.securityManager, [0x05, 0x05])
        let sent = HCIPacket.acl(HCIACLPacket(answer, on: 0x40, isFromHost: true)).encoded()
        #expect(Self.sent(actions) == [sent])
        let shown = actions.compactMap { if case .showPairing(let packet) = $0 { packet } else { nil } }
        #expect(shown == [Self.data(0x40, request), sent])
    }

    @Test func `a key is for the controller only, and its refusal ends the link`() throws {
        var machine = Self.linked()
        let key = LongTermKey(
            device: ManagementAddress(strap),
            kind: .unauthenticatedP256,
            isCentral: false,
            value: SecurityKey(0xAB)
        )
        machine.security.keys.longTermKeys = [key]
        let id = RaisingID(rawValue: 1)
        let actions = machine.raise(0x40, to: .medium, id, now: .zero)
        let command = HCIPacket.command(LEEnableEncryption(0x40, key: key.value).packet).encoded()
        #expect(Self.sent(actions) == [command])
        let shown = actions.compactMap { if case .showCommand(let packet, _) = $0 { packet } else { nil } }
        #expect(shown == [HCISecrets.zeroed(command)] && shown != [command])
        let refused = HCIPacket.event(status(LEEnableEncryption.opcode, .commandDisallowed).packet).encoded()
        #expect(Self.commands(machine.received(refused, now: .zero)) == [HCIDisconnect.opcode])
        let over = packet(DisconnectionCompleteEvent(0x40, reason: .connectionTerminatedByLocalHost))
        let ended = machine.received(over, now: .zero)
        #expect(ended.contains(.raised(id, .authenticationFailed)))
        #expect(ended.last == .linkEnded(0x40, .authenticationFailed))
    }

    @Test func `a peripheral's wish for other parameters is granted and carried out`() {
        var machine = Self.linked()
        let request: [UInt8] = [0x12, 0x01, 0x08, 0x00, 0x06, 0x00, 0x0C, 0x00, 0x00, 0x00, 0x64, 0x00]
        let actions = machine.received(Self.data(0x40, L2CAPFrame(.leSignaling, request)), now: .zero)
        let answer = L2CAPFrame(.leSignaling, [0x13, 0x01, 0x02, 0x00, 0x00, 0x00])
        #expect(
            Self.sent(actions).first == HCIPacket.acl(HCIACLPacket(answer, on: 0x40, isFromHost: true)).encoded()
        )
        #expect(Self.commands(actions) == [LEConnectionUpdate.opcode])
    }

    @Test func `a controller that has failed is set up again, without its links and attempts`() {
        var machine = Self.linked()
        let id = AttemptID(rawValue: 2)
        _ = machine.connect(id, to: lamp, now: .zero)
        let failure = packet(HardwareErrorEvent(hardwareCode: 0x42))
        let actions = machine.received(failure, now: .zero)
        #expect(
            Array(Self.others(actions).prefix(3)) == [
                .showEvent(failure), .linkEnded(0x40, .linkLost(.hardwareFailure)),
                .attemptEnded(id, .failure(AttemptFailure(cause: .connectFailed(.hardwareFailure)))),
            ]
        )
        #expect(Self.commands(actions) == [HCIReset.opcode])
        #expect(machine.links.isEmpty)
    }

    @Test func `the commands of channels wait until the controller is set up again`() {
        var machine = Self.ready()
        _ = machine.received(packet(HardwareErrorEvent(hardwareCode: 0x42)), now: .zero)
        #expect(machine.submit(HCIReadRSSI(1).packet, from: Self.channel, now: .zero) == [])
        // An attempt that begins now would be forgotten.
        let id = AttemptID(rawValue: 1)
        let failure = AttemptFailure(cause: .connectFailed(.hardwareFailure))
        #expect(machine.connect(id, to: strap, now: .zero) == [.attemptEnded(id, .failure(failure))])
        var sent: [HCIOpcode] = [HCIReset.opcode]
        while let last = sent.last, last != HCIReadRSSI.opcode, sent.count < 50 {
            let parameters: [UInt8] = last == LEReadBufferSize.opcode ? [27, 0, 2] : []
            let answered = HCIPacket.event(answer(last, parameters).packet).encoded()
            sent += Self.commands(machine.received(answered, now: .zero))
        }
        #expect(sent.dropFirst().first == HCIReadLocalVersionInformation.opcode && sent.last == HCIReadRSSI.opcode)
        #expect(sent.contains(LESetEventMask.opcode))
    }

    @Test func `who scans or advertises learns that the controller has failed, and who only listens goes on`() {
        var machine = Self.ready()
        let other = ChannelID(rawValue: 8)
        for (command, channel) in [
            (LESetScanEnable(isEnabled: true).packet, Self.channel), (HCIReadRSSI(1).packet, other),
        ] {
            _ = machine.submit(command, from: channel, now: .zero)
            _ = machine.received(HCIPacket.event(answer(command.opcode).packet).encoded(), now: .zero)
        }
        let actions = machine.received(packet(HardwareErrorEvent(hardwareCode: 0x42)), now: .zero)
        let ended = actions.filter { if case .endChannel = $0 { true } else { false } }
        #expect(ended == [.endChannel(Self.channel, .linkLost(.hardwareFailure))])
    }

    @Test func `a controller without measure fills no memory`() {
        var machine = Self.ready()
        for handle in 0..<4_000 as Range<UInt16> {
            _ = machine.received(packet(connected(ConnectionHandle(rawValue: handle), to: strap)), now: .zero)
        }
        #expect(machine.links.count == HostMachine.linkLimit)
        // The same handle again: the link before is lost.
        let again = machine.received(packet(connected(0, to: lamp, as: .peripheral)), now: .zero)
        #expect(again.contains(.linkEnded(0, .linkLost(.unspecifiedError))))
    }

    /// Lets a link live: each side sends frames, one of the peer's is not complete, and buffers are not given back.
    private static func link(_ handle: ConnectionHandle, in machine: inout HostMachine) {
        _ = machine.received(packet(connected(handle, to: strap, as: .peripheral)), now: .zero)
        for _ in 0..<5 {
            _ = machine.received(data(handle, L2CAPFrame(.att, [0x0A, 0x03, 0x00])), now: .zero)
            _ = machine.send(L2CAPFrame(.att, [UInt8](repeating: 0x0B, count: 100)), on: handle)
        }
        _ = machine.received(data(handle, L2CAPFrame(.securityManager, [0x01, 3, 0, 1, 16, 0, 0])), now: .zero)
        let part = HCIACLPacket(handle, flags: 0b10, data: [0x40, 0x00, 0x04, 0x00, 0x0A])
        _ = machine.received(HCIPacket.acl(part).encoded(), now: .zero)
        _ = machine.end(handle, now: .zero)
        _ = machine.received(packet(DisconnectionCompleteEvent(handle, reason: .connectionTimeout)), now: .zero)
        _ = machine.received(HCIPacket.acl(part).encoded(), now: .zero)
    }

    @Test func `links that have ended leave nothing behind`() {
        var machine = Self.ready()
        // All that it has, in words.
        var sizes: [Int] = []
        for round in 0..<20 as Range<UInt16> {
            for number in 0..<8 as Range<UInt16> {
                Self.link(ConnectionHandle(rawValue: 0x100 + round * 8 + number), in: &machine)
            }
            // What has no link is kept for a moment.
            _ = machine.received(Self.data(0xEFF, L2CAPFrame(.att, [1])), now: .at(1_000 * Int64(round + 1)))
            sizes.append("\(machine)".count)
        }
        #expect(machine.links.isEmpty)
        // Numbers may have become longer.
        #expect(sizes[19] < sizes[9] + 50, "\(sizes)")
    }

    @Test func `a link that lasts does not grow`() {
        var machine = Self.linked()
        let completed = packet(NumberOfCompletedPacketsEvent([.init(0x40, count: 1)]))
        // Behind a whole frame, it continues nothing.
        let stray = HCIPacket.acl(HCIACLPacket(0x40, flags: 0b01, data: [0x01, 0x02])).encoded()
        var sizes: [Int] = []
        _ = machine.received(Self.data(0x40, L2CAPFrame(.att, [0x0A, 0x03, 0x00])), now: .zero)
        for _ in 0..<20 {
            for _ in 0..<100 {
                _ = machine.send(L2CAPFrame(.att, [0x1B, 0x03, 0x00]), on: 0x40)
                _ = machine.received(stray, now: .zero)
                _ = machine.received(completed, now: .zero)
            }
            sizes.append("\(machine)".count)
        }
        #expect(sizes[19] < sizes[9] + 50, "\(sizes)")
    }

    @Test func `a peer that asks without end, and takes no answer, fills no memory`() {
        var machine = Self.linked()
        let unknown = Self.data(0x40, L2CAPFrame(.leSignaling, [0x0A, 0x01, 0x00, 0x00]))
        let early = Self.data(0x40, L2CAPFrame(.securityManager, [0x01, 0x03, 0x00, 0x01, 0x10, 0x00, 0x00]))
        for _ in 0..<10_000 {
            _ = machine.received(unknown, now: .zero)
            _ = machine.received(early, now: .zero)
        }
        #expect(machine.data.waitingFrames(on: 0x40) == ACLScheduler.signalLimit)
    }

    @Test func `malformed packets are counted, and change nothing`() {
        var machine = Self.linked()
        let malformed: [[UInt8]] = [
            [], [0x04], [0x04, 0x05, 0x02, 0x00, 0x40], [0x04, 0x3E, 0x01, 0x01], [0x02, 0x40, 0x20, 0x05, 0x00, 0x01],
            [0x04, 0x13, 0x01, 0x05],
        ]
        for packet in malformed { _ = machine.received(packet, now: .zero) }
        #expect(machine.malformedCount == malformed.count)
        #expect(machine.links.count == 1)
        #expect(machine.received([0x05, 0x00, 0x00, 0x00, 0x00], now: .zero) == [])
    }
}
