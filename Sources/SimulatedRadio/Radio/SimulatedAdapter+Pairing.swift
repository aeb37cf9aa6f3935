// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import BluetoothHost
import Synchronization

struct ActivePairing: Sendable {
    /// The command that has started it, or the equivalent of a pairing that the kernel started.
    var command: PairingCommand
    /// The channel of the program that has asked for it; `nil` if none has.
    var channel: SimulatedManagementChannel?
    /// The link, the device there, and the course of the pairing; `nil` until there is a link.
    var course: Course?
    /// Wakes the machine at its next deadline.
    var timer = DeadlineTimer()

    /// The part that is known only with a link.
    struct Course: Sendable {
        let link: SimulatedLink
        /// The device or the adapter at the other end.
        let partner: Partner
        let address: DeviceAddress
        let isOwnLink: Bool
        /// The protocol between both sides.
        var machine: PairingMachine
    }

    enum Partner: Sendable {
        case device(Int)
        case adapter(Int, LinkEnd)
    }
}

// The kernel's side of pairing and encryption, as far as links and time are concerned. All but the entry points are
// called with the lock held.
extension SimulatedAdapter {
    // MARK: - Pairing

    /// Begins a pairing that the kernel has accepted. Connects if there is no link.
    func begin(
        _ command: PairingCommand,
        from channel: SimulatedManagementChannel?,
        _ state: inout RunningWorld.State
    ) {
        if let end = state.peripheralEnd(to: command.device, of: number) {
            return requestSecurity(command, from: channel, end, &state)
        }
        if let running = state.adapters[number]?.pairing {
            return join(running, command, from: channel, &state)
        }
        state.adapters[number]?.pairing = ActivePairing(command: command, channel: channel)
        guard !start(&state, isOwnLink: false) else { return }
        scope.spawn { [self] in
            let limit = time.now + SimulatedKernel.connectTimeout
            let made = try? await connect(to: command.device, deadline: limit)
            world.state.withLock { state in
                // The pairing may have been cancelled while this task was connecting, and another one may run.
                guard state.adapters[number]?.pairing?.command == command else { return }
                if made == nil || !start(&state, isOwnLink: true) { endPairing(.connectFailed, &state) }
            }
            // A pairing that was cancelled in the meantime needs no link.
            if let made, !isPairing(over: made.link) { made.close() }
        }
    }

    /// Whether the pairing uses a link, which must then stay open.
    private func isPairing(over link: SimulatedLink) -> Bool {
        world.state.withLock { $0.adapters[number]?.pairing?.course?.link === link }
    }

    /// Starts the course of the pairing on the link to its device. Returns `false` if there is none.
    func start(_ state: inout RunningWorld.State, isOwnLink: Bool) -> Bool {
        guard let adapter = state.adapters[number], var pairing = adapter.pairing,
            let (end, partner) = state.linkEnd(to: pairing.command.device, of: number)
        else { return false }
        let command = pairing.command
        let offer = PairingMachine.Offer(
            request: command.request,
            demandsSecureConnections: command.demandsSecureConnections,
            data: command.data,
            ownData: adapter.kernel.ownData,
            digits: state.adapters[number]?.makePasskey() ?? 0,
            devicesDigits: state.adapters[number]?.makePasskey() ?? 0,
            interval: end.link.currentShape.interval
        )
        pairing.course = ActivePairing.Course(
            link: end.link,
            partner: partner,
            address: end.peer,
            isOwnLink: isOwnLink,
            machine: machine(offer, with: partner, &state)
        )
        state.adapters[number]?.pairing = pairing
        state.adapters[number]?.show(.pairingRequest(command.request), on: end.link.handle, isFromHost: true)
        if case .adapter(let other, let far) = partner {
            state.adapters[other]?.show(.pairingRequest(command.request), on: far.handle, isFromHost: false)
        }
        advance(&state) { $0.start(now: $1) }
        return true
    }

    /// The machine for a pairing with a device of the world, or with the kernel of another adapter.
    private func machine(
        _ offer: PairingMachine.Offer,
        with partner: ActivePairing.Partner,
        _ state: inout RunningWorld.State
    ) -> PairingMachine {
        switch partner {
        case .device(let station):
            return PairingMachine(offer, with: state.stations[station].device.pairing)
        case .adapter(let other, let end):
            guard let kernel = state.adapters[other]?.kernel else { return PairingMachine(offer, with: nil) }
            state.adapters[other]?.kernel.askedBy.insert(end.peer)
            return PairingMachine(offer, with: kernel.answerer(of: end.peer, given: kernel.ownData))
        }
    }

    /// Passes an event to the pairing, and carries out the resulting actions.
    func advance(
        _ state: inout RunningWorld.State,
        _ event: (inout PairingMachine, Instant) -> [PairingMachine.Action]
    ) {
        guard var course = state.adapters[number]?.pairing?.course else { return }
        let actions = event(&course.machine, time.now)
        state.adapters[number]?.pairing?.course = course
        for action in actions { carryOut(action, course, &state) }
        let link = course.link
        let deadline = state.adapters[number]?.pairing?.course?.machine.nextDeadline
        state.adapters[number]?.pairing?.timer.arm(deadline, in: scope, time) { [self] in
            world.state.withLock { state in
                // Another pairing may run when the timer fires.
                guard state.adapters[number]?.pairing?.course?.link === link else { return }
                state.adapters[number]?.pairing?.timer.fired()
                advance(&state) { $0.timerFired(now: $1) }
            }
        }
    }

    /// Carries out an action: asks and shows something here or at the other end, encrypts, or ends the pairing.
    private func carryOut(
        _ action: PairingMachine.Action,
        _ course: ActivePairing.Course,
        _ state: inout RunningWorld.State
    ) {
        // An earlier action of the same event may have ended the pairing.
        guard let pairing = state.adapters[number]?.pairing else { return }
        let device = ManagementAddress(pairing.command.device)
        switch action {
        case .ask(.consent):
            broadcast(UserConfirmationRequestEvent(device, isOnlyConsent: true, value: 0), &state)
        case .ask(.compare(let digits)):
            broadcast(UserConfirmationRequestEvent(device, isOnlyConsent: false, value: digits), &state)
        case .ask(.passkey): broadcast(UserPasskeyRequestEvent(device), &state)
        case .show(let digits): broadcast(PasskeyNotifyEvent(device, passkey: digits), &state)
        case .askPartner(let question): ask(question, theOtherEndOf: course, &state)
        case .showPartner(let digits):
            guard let (adapter, end) = neighbour(in: course, state) else { return }
            adapter.broadcast(PasskeyNotifyEvent(ManagementAddress(end.peer), passkey: digits), &state)
        case .encrypt(let agreement): course.link.become(agreement.security)
        case .finished(.paired(let agreement)): succeed(agreement, pairing, course, &state)
        case .finished(.failed(let reason, let isByDevice)):
            state.adapters[number]?.show(.pairingFailed(reason), on: course.link.handle, isFromHost: !isByDevice)
            if let (adapter, end) = neighbour(in: course, state) {
                state.adapters[adapter.number]?.show(.pairingFailed(reason), on: end.handle, isFromHost: isByDevice)
            }
            endPairing(.authenticationFailed, &state)
        case .finished(.silence):
            // The end of the link leads to the remaining events.
            course.link.closeByHost(.linkLost(.connectionTerminatedByLocalHost))
        }
    }

    /// Ends a pairing that has succeeded: keys go to the kernel, and the answer to the program.
    private func succeed(
        _ agreement: PairingAgreement,
        _ pairing: ActivePairing,
        _ course: ActivePairing.Course,
        _ state: inout RunningWorld.State
    ) {
        state.adapters[number]?.pairing = nil
        pairing.timer.cancelled()
        var identity = DeviceIdentity(address: course.address, key: .zero)
        var made: GeneratedKeys?
        switch course.partner {
        case .device(let station):
            identity.address = state.stations[station].device.address
            identity.key = SimulatedKeys.identityKey(of: identity.address)
        case .adapter(let other, _):
            if agreement.responderKeys.contains(.identity), let sent = state.adapters[other]?.kernel.identity {
                identity = sent
            }
            made = makeKeys(agreement, course, &state)
        }
        guard
            let result = state.adapters[number]?.kernel.paired(
                agreement,
                pairing.command,
                identity: identity,
                address: course.address,
                made: made
            )
        else { return }
        perform(result.keys, from: nil, &state)
        perform(result.end, from: pairing.channel, &state)
        if course.isOwnLink { course.link.closeByHost() }
    }

    func endPairing(_ status: ManagementStatus, _ state: inout RunningWorld.State) {
        guard let pairing = state.adapters[number]?.pairing else { return }
        state.adapters[number]?.pairing = nil
        pairing.timer.cancelled()
        // The pairing is gone by now, so that the end of its link does not end it a second time.
        let actions = state.adapters[number]?.kernel.pairingFailed(status, pairing.command) ?? []
        perform(actions, from: pairing.channel, &state)
        guard let course = pairing.course else { return }
        if let (adapter, end) = neighbour(in: course, state) { adapter.pairingFailed(status, on: end, &state) }
        if course.isOwnLink { course.link.closeByHost() }
    }

    func linkEnded(_ end: LinkEnd, _ state: inout RunningWorld.State) {
        if state.adapters[number]?.pairing?.course?.link === end.link { endPairing(.disconnected, &state) }
        // Keys belong to the identity of a device if it has sent it, and otherwise to its address on the air.
        if case .device(let station)? = end.sender {
            state.adapters[number]?.kernel.linkEnded(with: state.stations[station].device.address)
        }
        answerRequests(on: end.link, .disconnected, &state)
        state.adapters[number]?.kernel.askedBy.remove(end.peer)
        state.adapters[number]?.kernel.linkEnded(with: end.peer)
    }

    /// Sends an event to all programs that manage the adapter.
    func broadcast(_ event: some ManagementEventParameters, _ state: inout RunningWorld.State) {
        perform([.event(event.packet(about: ManagementIndex(description.index)))], from: nil, &state)
    }

    // MARK: - Signatures

    /// The verdict of a device on a signed write of this adapter; `nil` for every other PDU, and if the device has no
    /// key.
    func signature(of pdu: [UInt8], to station: Int) -> SignatureVerdict? {
        // The first octet sorts out nearly all PDUs before they are decoded or the lock is taken.
        guard pdu.first == SignedWriteCommand.opcode.rawValue,
            case .command(.signedWrite(let write))? = try? ATTClientPDU(decoding: pdu)
        else { return nil }
        let adapter = description.address
        return world.state.withLock { state in
            let device = state.stations[station].device
            guard let policy = device.pairing, policy.signs, policy.bonding == .kept else { return nil }
            let key = SimulatedKeys.signatureKey(of: device.address, with: adapter, isLocal: true)
            guard write.isSigned(with: key) else { return .wrong }
            let next = state.stations[station].signatureCounters[adapter] ?? 0
            // The highest counter is refused as well, because no other one could follow it.
            guard write.counter >= next, write.counter < .max else { return .replayed }
            state.stations[station].signatureCounters[adapter] = write.counter + 1
            return .valid(isAuthenticated: policy.needsAuthentication)
        }
    }

    // MARK: - Encryption

    /// The result of raising the security of a link.
    enum Raising: Hashable, Sendable {
        /// The link has the level.
        case met
        /// The kernel has no key that is good enough.
        case noKey
        /// The device has the same key.
        case key(LinkSecurity)
        /// The device has no key any more.
        case missing
        /// The device has another key.
        case otherKey
    }

    /// The result of raising the security of a link to a level; `nil` for a link whose device does not pair.
    func raising(_ link: SimulatedLink, to level: SecurityLevel) -> Raising? {
        world.state.withLock { state in
            guard let adapter = state.adapters[number], let end = adapter.links.first(where: { $0.link === link })
            else { return nil }
            if case .adapter? = end.sender {
                let present = link.security
                if present.isEncrypted, present.level >= level { return .met }
                return state.encryption(of: end, for: number, level)
            }
            guard case .device(let station)? = end.sender,
                let policy = state.stations[station].device.pairing
            else { return nil }
            let (present, identity) = (link.security, state.stations[station].device.address)
            if present.isEncrypted, present.level >= level { return .met }
            guard let key = adapter.kernel.keys.longTermKey(of: identity), key.level >= level else { return .noKey }
            switch policy.bonding {
            case .none, .forgotten: return .missing
            case .otherKey: return .otherKey
            case .kept: break
            }
            return SimulatedKeys.isRight(key, of: identity, with: adapter.kernel.profile.address)
                ? .key(key.security) : .otherKey
        }
    }
}

extension RunningWorld.State {
    /// The link of an adapter to a device of the world, by any address of the device that the kernel knows.
    func linkEnd(to device: DeviceAddress, of number: Int) -> (end: LinkEnd, partner: ActivePairing.Partner)? {
        for end in ends(with: device, of: number) where end.role == .central {
            switch end.sender {
            case .device(let station)?: return (end, .device(station))
            case .adapter(let other)?:
                guard let far = farEnd(of: end.link, at: other) else { continue }
                return (end, .adapter(other, far))
            case nil: continue
            }
        }
        return nil
    }

    func peripheralEnd(to central: DeviceAddress, of number: Int) -> LinkEnd? {
        ends(with: central, of: number).first { $0.role == .peripheral }
    }

    /// The open links of an adapter to a device, by any address of the device that the kernel knows.
    ///
    /// - Parameter keys: The keys by which the addresses are resolved; `nil` for those of the kernel.
    func ends(with device: DeviceAddress, of number: Int, knowing keys: AdapterKeys? = nil) -> [LinkEnd] {
        guard let adapter = adapters[number] else { return [] }
        let keys = keys ?? adapter.kernel.keys
        let identity = keys.identity(of: device)
        return adapter.links.filter { end in
            end.link.isOpen && (end.peer == device || keys.identity(of: end.peer) == identity)
        }
    }

    /// The identity address of a device for an adapter; the same address if no key fits.
    func identity(of device: DeviceAddress, at number: Int) -> DeviceAddress {
        adapters[number]?.kernel.keys.identity(of: device) ?? device
    }

    /// The end of a link at the adapter that is the peripheral.
    func farEnd(of link: SimulatedLink, at number: Int) -> LinkEnd? {
        adapters[number]?.links.first { $0.link === link && $0.side == .far }
    }

    /// The result of encrypting a link to another adapter with the keys of both kernels.
    func encryption(of end: LinkEnd, for number: Int, _ level: SecurityLevel) -> SimulatedAdapter.Raising {
        guard case .adapter(let other)? = end.sender, let keys = adapters[number]?.kernel.keys,
            let key = keys.longTermKey(of: keys.identity(of: end.peer)), key.level >= level
        else { return .noKey }
        guard let far = farEnd(of: end.link, at: other), let peripheral = adapters[other]?.kernel.keys,
            let others = peripheral.peripheralKey(
                for: peripheral.identity(of: far.peer),
                isSecureConnections: key.kind.isSecureConnections
            )
        else { return .missing }
        let isSame =
            others.value == key.value && others.diversifier == key.diversifier
            && others.randomNumber == key.randomNumber
        return isSame ? .key(key.security) : .otherKey
    }

    /// The security that a link to another adapter has from its start.
    func initialSecurity(of end: LinkEnd, for number: Int) -> LinkSecurity {
        guard case .key(var security) = encryption(of: end, for: number, .low) else { return .none }
        security.isEncrypted = false
        return security
    }

    /// The security that a link to a device has from its start.
    func initialSecurity(of station: Int, for number: Int) -> LinkSecurity {
        let device = stations[station].device
        guard let policy = device.pairing else { return device.link.security }
        guard policy.bonding == .kept, let kernel = adapters[number]?.kernel,
            let key = kernel.keys.longTermKey(of: device.address),
            SimulatedKeys.isRight(key, of: device.address, with: kernel.profile.address)
        else { return .none }
        var security = key.security
        security.isEncrypted = false
        return security
    }
}

extension LinkSecurity {
    fileprivate var level: SecurityLevel {
        guard isAuthenticated else { return .medium }
        return isSecureConnections && keySize == 16 ? .fips : .high
    }
}

extension DeadlineTimer {
    /// Cancels the sleeping task of a timer that is not needed any more.
    fileprivate func cancelled() {
        var timer = self
        timer.stop()
    }
}
