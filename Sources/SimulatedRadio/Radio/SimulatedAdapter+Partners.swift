// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import Synchronization

/// A Pair Device about a central, which the kernel asks for security.
struct SecurityRequest: Sendable {
    let link: SimulatedLink
    /// The command, which is answered when the central has decided.
    let packet: ManagementPacket
    /// The channel of the program that waits for the answer.
    let channel: SimulatedManagementChannel?
}

// Pairings with another adapter of the world. Everything is called with the lock held.
extension SimulatedAdapter {
    /// Another adapter of the world; `nil` if it has left.
    private func neighbour(_ other: Int, _ state: RunningWorld.State) -> SimulatedAdapter? {
        state.adapters[other].map { SimulatedAdapter(other, $0.kernel, in: world) }
    }

    /// The adapter at the other end of a pairing, and its end of the link; `nil` if a device of the world is there.
    func neighbour(
        in course: ActivePairing.Course,
        _ state: RunningWorld.State
    ) -> (adapter: SimulatedAdapter, end: LinkEnd)? {
        guard case .adapter(let other, let end) = course.partner, let adapter = neighbour(other, state) else {
            return nil
        }
        return (adapter, end)
    }

    func ask(
        _ question: PairingMachine.Question,
        theOtherEndOf course: ActivePairing.Course,
        _ state: inout RunningWorld.State
    ) {
        guard let (adapter, end) = neighbour(in: course, state) else { return }
        let central = ManagementAddress(end.peer)
        switch question {
        case .consent: adapter.broadcast(UserConfirmationRequestEvent(central, isOnlyConsent: true, value: 0), &state)
        case .compare(let digits):
            adapter.broadcast(UserConfirmationRequestEvent(central, isOnlyConsent: false, value: digits), &state)
        case .passkey: adapter.broadcast(UserPasskeyRequestEvent(central), &state)
        }
    }

    /// Gives the answer of a person to the pairing with a device that no program here has asked for.
    func answer(_ reply: PairingReply, to device: DeviceAddress, _ state: inout RunningWorld.State) {
        if state.adapters[number]?.pairing?.command.device == device {
            return give(reply, by: .adapter, &state)
        }
        for central in state.adapters.keys.sorted() {
            guard case .adapter(number, let end)? = state.adapters[central]?.pairing?.course?.partner,
                end.peer == device, let adapter = neighbour(central, state)
            else { continue }
            return adapter.give(reply, by: .partner, &state)
        }
    }

    private func give(
        _ reply: PairingReply,
        by side: PairingMachine.Side,
        _ state: inout RunningWorld.State
    ) {
        switch reply {
        case .confirmed(let isConfirmed): advance(&state) { $0.confirmed(isConfirmed, by: side, now: $1) }
        case .entered(let passkey): advance(&state) { $0.entered(passkey, by: side, now: $1) }
        }
    }

    /// Makes the keys of a pairing with another adapter, and gives that one its own. Returns those of this one.
    func makeKeys(
        _ agreement: PairingAgreement,
        _ course: ActivePairing.Course,
        _ state: inout RunningWorld.State
    ) -> GeneratedKeys? {
        guard let (adapter, end) = neighbour(in: course, state) else { return nil }
        let central = agreement.initiatorKeys.contains(.identity) ? state.adapters[number]?.kernel.identity : nil
        let peripheral =
            agreement.responderKeys.contains(.identity) ? state.adapters[adapter.number]?.kernel.identity : nil
        let known = (
            central: central?.address ?? state.identity(of: end.peer, at: adapter.number),
            peripheral: peripheral?.address ?? state.identity(of: course.address, at: number)
        )
        guard
            let made = state.adapters[number]?.makeKeys(
                agreement,
                central: known.central,
                peripheral: known.peripheral
            )
        else { return nil }
        let actions = state.adapters[adapter.number]?.kernel.paired(
            agreement,
            by: end.peer,
            identity: central,
            made: made.peripheral
        )
        adapter.perform(actions ?? [], from: nil, &state)
        adapter.answerRequests(on: end.link, .success, &state)
        return made.central
    }

    /// A pairing that the central at the other end of a link has asked for has failed.
    func pairingFailed(_ status: ManagementStatus, on end: LinkEnd, _ state: inout RunningWorld.State) {
        let actions = state.adapters[number]?.kernel.pairingFailed(status, by: end.peer) ?? []
        // The kernel does not report the failure to the program whose command fails.
        let channel = state.adapters[number]?.requests.first { $0.link === end.link }?.channel
        perform(actions, from: channel, &state)
        answerRequests(on: end.link, status == .disconnected ? .disconnected : .authenticationFailed, &state)
    }

    // MARK: - Security Requests

    /// Adds a program to a pairing that the kernel has begun.
    func join(
        _ running: ActivePairing,
        _ command: PairingCommand,
        from channel: SimulatedManagementChannel?,
        _ state: inout RunningWorld.State
    ) {
        guard running.command.packet == nil, running.command.device == command.device else {
            let actions = state.adapters[number]?.kernel.pairingFailed(.busy, command) ?? []
            return perform(actions, from: channel, &state)
        }
        state.adapters[number]?.kernel.askedBy.remove(command.device)
        state.adapters[number]?.pairing?.command.packet = command.packet
        state.adapters[number]?.pairing?.channel = channel
    }

    func requestSecurity(
        _ command: PairingCommand,
        from channel: SimulatedManagementChannel?,
        _ end: LinkEnd,
        _ state: inout RunningWorld.State
    ) {
        // Other centrals may be asked meanwhile.
        state.adapters[number]?.kernel.pairing = nil
        guard let packet = command.packet, let adapter = state.adapters[number] else { return }
        guard !adapter.requests.contains(where: { $0.link === end.link }) else {
            return perform(
                adapter.kernel.answer(packet, .busy, ManagementAddress(command.device)),
                from: channel,
                &state
            )
        }
        let request = SecurityRequest(link: end.link, packet: packet, channel: channel)
        state.adapters[number]?.requests.append(request)
        guard case .adapter(let central)? = end.sender else { return }
        let link = end.link
        scope.spawn { [self] in
            guard (try? await time.sleep(for: link.currentShape.interval)) != nil else { return }
            world.state.withLock { state in
                guard link.isOpen, let adapter = neighbour(central, state) else { return }
                adapter.securityRequested(by: self, on: link, &state)
            }
        }
    }

    /// A peripheral asks for security: the kernel encrypts with the key that it has, or pairs.
    private func securityRequested(
        by peripheral: SimulatedAdapter,
        on link: SimulatedLink,
        _ state: inout RunningWorld.State
    ) {
        guard let adapter = state.adapters[number], let far = state.farEnd(of: link, at: peripheral.number),
            let end = adapter.links.first(where: { $0.link === link && $0.side == .near })
        else { return }
        // A pairing that runs is the answer.
        guard adapter.pairing == nil else { return }
        if let key = adapter.kernel.keys.longTermKey(of: adapter.kernel.keys.identity(of: end.peer)) {
            encrypt(link, key.level, for: peripheral)
        } else if let command = adapter.kernel.pairingOnRequest(of: end.peer) {
            state.adapters[number]?.kernel.askedBy.insert(end.peer)
            state.adapters[number]?.pairing = ActivePairing(command: command)
            if !start(&state, isOwnLink: false) { endPairing(.connectFailed, &state) }
        } else {
            state.adapters[number]?.show(.pairingFailed(.pairingNotSupported), on: end.handle, isFromHost: true)
            peripheral.pairingFailed(.authenticationFailed, on: far, &state)
        }
    }

    /// Encrypts a link with the key that the central has, and answers the peripheral's programs.
    private func encrypt(_ link: SimulatedLink, _ level: SecurityLevel, for peripheral: SimulatedAdapter) {
        scope.spawn { [self] in
            let channel = SimulatedATTChannel(link: link, time: time, adapter: self)
            // If it fails, the link ends, and that is the answer.
            guard (try? await channel.raiseSecurity(to: level)) != nil else { return }
            world.state.withLock { peripheral.answerRequests(on: link, .success, &$0) }
        }
    }

    /// Answers the programs that have asked a central for security.
    func answerRequests(on link: SimulatedLink, _ status: ManagementStatus, _ state: inout RunningWorld.State) {
        guard let adapter = state.adapters[number] else { return }
        for request in adapter.requests where request.link === link {
            guard let command = try? ManagementCommandCatalog.command(in: request.packet) as? PairDevice else {
                continue
            }
            perform(adapter.kernel.answer(request.packet, status, command.device), from: request.channel, &state)
        }
        state.adapters[number]?.requests.removeAll { $0.link === link }
    }
}
