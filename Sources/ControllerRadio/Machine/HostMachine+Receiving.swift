// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost

// MARK: - Packets from the controller

extension HostMachine {
    /// Takes a packet of the controller, with its indicator.
    ///
    /// - Parameter now: The time, which data and what makes room for them do not need.
    mutating func received(_ bytes: [UInt8], now: @autoclosure () -> Instant) -> [HostAction] {
        if case .failed = state { return [] }
        do throws(DecodeError) {
            switch try HCIPacket(decoding: bytes) {
            case .event(let packet): return try received(packet, bytes, now())
            case .acl(let packet): return received(packet, now())
            // Voice and isochronous data are of no use here, and a controller sends no commands.
            case .command, .other: return []
            }
        } catch {
            noteMalformed()
            return []
        }
    }

    private mutating func received(
        _ packet: HCIEventPacket,
        _ bytes: [UInt8],
        _ now: @autoclosure () -> Instant
    ) throws(DecodeError) -> [HostAction] {
        // Reports of advertisers are most of the events, and for the channels alone.
        guard packet.concernsHost else { return isSettingUp ? [] : [.showEvent(bytes)] + heard(packet, now: now()) }
        let event: HCIEvent
        do throws(DecodeError) {
            event = try HCIEvent(packet)
        } catch {
            noteMalformed()
            return isSettingUp ? [] : [.showEvent(bytes)]
        }
        // A controller that is being reset may still report what was before.
        let isAnswer = event.answersCommand
        guard !isSettingUp || isAnswer else { return [] }
        track(event)
        noteAnswer(event)
        // Channels see the answer before another command, and the link before its first data.
        let shown: [HostAction] = isSettingUp || packet.code == .numberOfCompletedPackets ? [] : [.showEvent(bytes)]
        return shown + (isAnswer ? perform(commands.received(event, now: now()), now()) : received(event, now()))
    }

    var isSettingUp: Bool { if case .settingUp = state { true } else { false } }

    private mutating func received(_ event: HCIEvent, _ now: @autoclosure () -> Instant) -> [HostAction] {
        switch event {
        case .known(let event as NumberOfCompletedPacketsEvent):
            for completion in event.completions { data.completed(Int(completion.count), on: completion.connection) }
            return transmitData() + endLinks(now())
        default: return received(event, at: now())
        }
    }

    private mutating func received(_ event: HCIEvent, at now: Instant) -> [HostAction] {
        switch event {
        case .known(let event as LEConnectionCompleteEvent): return completed(event, now)
        case .known(let event as LEEnhancedConnectionCompleteEvent):
            let (address, type) = (event.peerResolvableAddress, event.connection.peer.type)
            let isPrivate = address.rawValue != 0 && type != type.connectionType
            if isPrivate { resolving.resolved() }
            return completed(event.connection, onAir: isPrivate ? DeviceAddress(address, .random) : nil, now)
        case .known(let event as DisconnectionCompleteEvent): return disconnected(event, now)
        case .known(let event as LERemoteConnectionParameterRequestEvent): return requested(event, now)
        case .known(let event as LEAdvertisingSetTerminatedEvent):
            // It follows the event of its link, which does not say with which address this side has advertised.
            if event.status == .success { security.links[event.connection]?.own = addresses.of(event.set) }
            return []
        case .known(is HardwareErrorEvent): return restart(now)
        default: return securityReceived(event, now) ?? []
        }
    }
}

// MARK: - Links

extension HostMachine {
    /// - Parameter onAir: The private address of a peer that the controller has recognised.
    private mutating func completed(
        _ event: LEConnectionCompleteEvent,
        onAir: DeviceAddress? = nil,
        _ now: Instant
    ) -> [HostAction] {
        var result: [HostAction] = []
        if event.status == .success { result += began(event, onAir: onAir, now) }
        // The role means nothing without a link; the end of directed advertising is no end of an attempt.
        let isOfAttempt = event.status == .success ? event.role == .central : event.status != .advertisingTimeout
        if isOfAttempt {
            let keys = security.keys
            result += perform(initiator.completed(event) { keys.identity(of: $0) }, now)
        }
        guard event.status == .success else { return result }
        for packet in early.taken(of: event.connection, now: now) { result += received(packet, now) }
        return result + (event.role == .central ? lengthen(event.connection, now) : [])
    }

    private mutating func began(
        _ event: LEConnectionCompleteEvent,
        onAir: DeviceAddress?,
        _ now: Instant
    ) -> [HostAction] {
        var result: [HostAction] = []
        // A controller that gives a handle again has lost the link before.
        if links[event.connection] != nil { result += ended(event.connection, .unspecifiedError, now) }
        guard links.count < Self.linkLimit else { return result }
        // Pairing computes with the address on the air; the identity follows from it.
        let peer = onAir ?? DeviceAddress(event.peer.address, event.peer.type.connectionType)
        let origin = LinkOrigin(peer: peer, role: event.role)
        links[event.connection] = Link(origin: origin)
        data.open(event.connection)
        let own = event.role == .central ? addresses.ofCentral : addresses.ofPeripheral
        let told = perform(security.began(event.connection, origin, own: own), now)
        return result + [.linkBegan(event.connection, origin)] + told
    }

    /// Asks for long packets. The suggestion of the setup is one that controllers need not follow by themselves.
    private mutating func lengthen(_ handle: ConnectionHandle, _ now: Instant) -> [HostAction] {
        guard facts.leFeatures.contains(.dataPacketLengthExtension), facts.lists(LESetDataLength.self) else {
            return []
        }
        return command(LESetDataLength(handle, transmit: ControllerSetup.longestPackets), from: .link(handle), now)
    }

    private mutating func disconnected(_ event: DisconnectionCompleteEvent, _ now: Instant) -> [HostAction] {
        guard event.status == .success else { return [] }
        // The buffers of the link are free for the others.
        return ended(event.connection, event.reason, now) + transmitData()
    }

    mutating func ended(_ handle: ConnectionHandle, _ reason: HCIStatus, _ now: Instant) -> [HostAction] {
        let last = release(handle, now)
        data.close(handle)
        commands.ended(handle)
        guard let link = links.removeValue(forKey: handle) else { return [] }
        early.ended(handle, now: now)
        let cause = link.cause ?? RadioError.Cause(endOfLink: reason)
        let told = perform(security.ended(handle, reason, cause), now)
        return last + told + [.linkEnded(handle, cause)]
    }

    /// Grants or refuses parameters, because the procedure of the peer hangs without an answer, and takes the link with it.
    private mutating func requested(_ event: LERemoteConnectionParameterRequestEvent, _ now: Instant) -> [HostAction] {
        let parameters = LEConnectionParameters(
            minimumInterval: event.minimumInterval,
            maximumInterval: event.maximumInterval,
            latency: event.latency,
            supervisionTimeout: event.supervisionTimeout
        )
        let owner = CommandOwner.link(event.connection)
        guard parameters.arePossible else {
            return command(LERemoteConnectionParameterRequestNegativeReply(event.connection), from: owner, now)
        }
        return command(LERemoteConnectionParameterRequestReply(event.connection, parameters), from: owner, now)
    }
}

// MARK: - Data

extension HostMachine {
    private mutating func received(_ packet: HCIACLPacket, _ now: @autoclosure () -> Instant) -> [HostAction] {
        let handle = packet.connection
        guard let isHolding = links[handle].map({ !$0.held.isEmpty }) else {
            early.keep(packet, now: now())
            return []
        }
        return isHolding || security.isEncrypting(handle) ? hold(packet, now()) : take(packet, now())
    }

    /// Keeps data of a link that is being encrypted until the event of that: the first data that are protected may come
    /// before it.
    private mutating func hold(_ packet: HCIACLPacket, _ now: Instant) -> [HostAction] {
        let handle = packet.connection
        let count = links[handle]?.held.count ?? 0
        guard count < EarlyData.limit else { return release(handle, now) + take(packet, now) }
        if count == 0 { links[handle]?.heldUntil = now + EarlyData.skew }
        links[handle]?.held.append(packet)
        return []
    }

    /// Takes the data of a link that have waited.
    mutating func release(_ handle: ConnectionHandle, _ now: Instant) -> [HostAction] {
        let packets = links[handle]?.held ?? []
        links[handle]?.held = []
        return packets.flatMap { take($0, now) }
    }

    /// Takes the data that have waited long enough: they are older than the event.
    mutating func releaseHeld(_ now: Instant) -> [HostAction] {
        links.filter { !$0.value.held.isEmpty && $0.value.heldUntil <= now }.keys
            .sorted { $0.rawValue < $1.rawValue }.flatMap { release($0, now) }
    }

    private mutating func take(_ packet: HCIACLPacket, _ now: @autoclosure () -> Instant) -> [HostAction] {
        let handle = packet.connection
        guard let role = links[handle]?.origin.role, let frame = links[handle]?.frames.append(packet) else { return [] }
        switch frame.channel {
        // The signals of credit-based channels are for those.
        case .leSignaling where SignalResponder.isOfChannels(frame.payload): return [.received(frame, on: handle)]
        case .leSignaling:
            let reaction = SignalResponder.reaction(to: frame.payload, as: role)
            let answer = reaction.answer.map { send(L2CAPFrame(.leSignaling, $0.encoded()), on: handle) } ?? []
            let update = reaction.parameters.map { command(LEConnectionUpdate(handle, $0), from: .link(handle), now()) }
            return answer + (update ?? [])
        case .securityManager:
            let shown = show(frame, on: handle, isFromHost: false)
            return [shown] + perform(security.received(frame.payload, on: handle, now: now()), now())
        default: return [.received(frame, on: handle)]
        }
    }
}

extension HCIEventPacket {
    /// Whether the host has to understand the event: it is about commands, links or the controller itself.
    fileprivate var concernsHost: Bool {
        switch code {
        case .disconnectionComplete, .commandComplete, .commandStatus, .hardwareError, .numberOfCompletedPackets,
            .encryptionChange, .encryptionKeyRefreshComplete, .readRemoteVersionInformationComplete:
            true
        // Connection Complete, Update Complete, Read Remote Features Complete, Long Term Key Request, Parameter Request,
        // Data Length Change, Enhanced Connection Complete, PHY Update Complete, Advertising Set Terminated, and Subrate
        // Change.
        case .leMeta: [0x01, 0x03, 0x04, 0x05, 0x06, 0x07, 0x0A, 0x0C, 0x12, 0x23].contains(parameters.first)
        default: false
        }
    }
}

extension HCIEvent {
    fileprivate var answersCommand: Bool {
        switch self {
        case .known(is CommandCompleteEvent), .known(is CommandStatusEvent): true
        default: false
        }
    }
}
