// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost

// Pairings, in either role.

extension HostSecurity {
    // MARK: - Beginning

    /// Begins a pairing that a program wants, over the link to the device.
    mutating func begin(_ command: PairingCommand, from program: ChannelID?, _ now: Instant) -> [Action] {
        guard let handle = handles(of: command.device).first, let link = links[handle], !link.isSilent else {
            return deliver(pairingFailed(.notConnected, command), to: program)
        }
        if link.role == .peripheral { return requestSecurity(command, from: program, on: handle, now) }
        if link.session != nil {
            // The peripheral has asked for the pairing that runs; the program joins it.
            guard link.command?.packet == nil else {
                return deliver(pairingFailed(.busy, command), to: program)
            }
            links[handle]?.command?.packet = command.packet
            links[handle]?.program = program
            askedBy.remove(command.device)
            return []
        }
        return start(command, from: program, on: handle, now)
    }

    private mutating func start(
        _ command: PairingCommand,
        from program: ChannelID?,
        on handle: ConnectionHandle,
        _ now: Instant
    ) -> [Action] {
        guard let link = links[handle] else { return [] }
        links[handle]?.command = command
        links[handle]?.program = program
        var terms = terms(of: link)
        terms.demandsSecureConnections = command.demandsSecureConnections
        terms.peerData = command.data
        let begun = PairingSession.requesting(command.request, terms, random, now: now)
        links[handle]?.session = begun.session
        return perform(begun.actions, on: handle, now)
    }

    /// Asks a central for security. It encrypts the link with the key that it has, or pairs.
    private mutating func requestSecurity(
        _ command: PairingCommand,
        from program: ChannelID?,
        on handle: ConnectionHandle,
        _ now: Instant
    ) -> [Action] {
        // Other centrals may be asked meanwhile.
        pairing = nil
        guard let packet = command.packet, let count = links[handle]?.requests.count, count < Self.requestLimit else {
            return deliver(pairingFailed(.busy, command), to: program)
        }
        links[handle]?.requests.append((packet, program))
        guard count == 0, links[handle]?.session == nil else { return [] }
        return [.send(.securityRequest(command.request.requirements), on: handle)]
    }

    private func terms(of link: Link) -> PairingTerms {
        PairingTerms(own: link.own, peer: link.peer, ownData: ownData, identity: identity)
    }

    // MARK: - Packets of the peer

    /// Takes a packet of the peer's Security Manager.
    mutating func received(_ payload: [UInt8], on handle: ConnectionHandle, now: Instant) -> [Action] {
        guard let link = links[handle], !link.isSilent, let code = payload.first else { return [] }
        // Codes that are not given yet are ignored.
        guard (1...PairingPDU.lastCode).contains(code) else { return [] }
        guard let pdu = try? PairingPDU(decoding: payload) else {
            if link.session != nil { return advance(handle, now) { session, _ in session.receivedInvalid() } }
            return code == 0x01 ? [.send(.failed(.invalidParameters), on: handle)] : []
        }
        switch (pdu, link.role) {
        // It crosses the request that it asks for.
        case (.securityRequest, _) where link.session != nil: return []
        case (.securityRequest(let requirements), .central): return requested(requirements, on: handle, now)
        case (_, _) where link.session != nil: return advance(handle, now) { $0.received(pdu, now: $1) }
        case (.request(let request), .peripheral): return respond(to: request, on: handle, now)
        case (.request, .central), (.securityRequest, .peripheral):
            return [.send(.failed(.commandNotSupported), on: handle)]
        case (.failed, .peripheral) where !link.requests.isEmpty: return failed(.authenticationFailed, by: handle)
        default: return []
        }
    }

    /// A peripheral asks for security: a key that there is encrypts the link, and otherwise a pairing begins if a program
    /// is ready to answer its questions.
    private mutating func requested(
        _ requirements: AuthenticationRequirements,
        on handle: ConnectionHandle,
        _ now: Instant
    ) -> [Action] {
        guard let link = links[handle], case .none = link.encryption else { return [] }
        let wanted: SecurityLevel = requirements.contains(.manInTheMiddleProtection) ? .high : .medium
        guard link.security.level < wanted else { return [] }
        // Never a new pairing in the place of a bond: anybody could ask for that.
        if let key = keys.longTermKey(of: keys.identity(of: link.peer)) {
            return link.security.isEncrypted ? [] : encrypt(handle, with: key)
        }
        guard let command = pairingOnRequest(of: link.peer) else {
            return [.send(.failed(.pairingNotSupported), on: handle)]
        }
        askedBy.insert(link.peer)
        return start(command, from: nil, on: handle, now)
    }

    private mutating func respond(
        to request: PairingFeatures,
        on handle: ConnectionHandle,
        _ now: Instant
    ) -> [Action] {
        guard let link = links[handle] else { return [] }
        guard !attempts.mustWait(keys.identity(of: link.peer), now: now) else {
            return [.send(.failed(.repeatedAttempts), on: handle)] + failed(.authenticationFailed, by: handle)
        }
        let answerer = answerer(of: link.peer)
        switch answerer.answer(to: request) {
        case .refusal(let reason):
            return [.send(.failed(reason), on: handle)] + failed(.authenticationFailed, by: handle)
        case .response(let response):
            askedBy.insert(link.peer)
            var terms = terms(of: link)
            terms.demandsSecureConnections = answerer.secureConnections == .only
            terms.peerData = answerer.partnerData
            let begun = PairingSession.responding(to: request, with: response, terms, random, now: now)
            links[handle]?.session = begun.session
            return perform(begun.actions, on: handle, now)
        }
    }

    // MARK: - The course

    /// Gives the pairing on a link an event, and carries out what it says.
    mutating func advance(
        _ handle: ConnectionHandle,
        _ now: Instant,
        _ event: (inout PairingSession, Instant) -> [PairingSession.Action]
    ) -> [Action] {
        guard var session = links[handle]?.session else { return [] }
        // Taken out, so that the change copies nothing.
        links[handle]?.session = nil
        let actions = event(&session, now)
        links[handle]?.session = session
        return perform(actions, on: handle, now)
    }

    /// Gives the pairing with a device a person's answer.
    mutating func give(_ reply: PairingReply, to device: DeviceAddress, _ now: Instant) -> [Action] {
        handles(of: device).flatMap { handle in
            advance(handle, now) { session, now in
                switch reply {
                case .confirmed(let isConfirmed): session.confirmed(isConfirmed, now: now)
                case .entered(let passkey): session.entered(passkey, now: now)
                }
            }
        }
    }

    private mutating func perform(
        _ actions: [PairingSession.Action],
        on handle: ConnectionHandle,
        _ now: Instant
    ) -> [Action] {
        var result: [Action] = []
        for action in actions {
            guard let link = links[handle] else { break }
            let device = ManagementAddress(link.command?.device ?? link.peer)
            switch action {
            case .send(let pdu): result.append(.send(pdu, on: handle))
            case .ask(.consent):
                result.append(broadcast(UserConfirmationRequestEvent(device, isOnlyConsent: true, value: 0)))
            case .ask(.compare(let digits)):
                result.append(broadcast(UserConfirmationRequestEvent(device, isOnlyConsent: false, value: digits)))
            case .ask(.passkey): result.append(broadcast(UserPasskeyRequestEvent(device)))
            case .show(let digits): result.append(broadcast(PasskeyNotifyEvent(device, passkey: digits)))
            case .encrypt(let key):
                links[handle]?.encryption = .session
                result.append(.command(LEEnableEncryption(handle, key: key).packet, handle))
            case .finished(.paired(let made)): result += succeeded(made, on: handle)
            case .finished(.failed(let reason, _)):
                attempts.failed(keys.identity(of: link.peer), reason, now: now)
                result += endPairing(on: handle, .authenticationFailed)
            case .finished(.silence):
                links[handle]?.isSilent = true
                result.append(
                    .end(
                        handle,
                        .remoteUserTerminatedConnection,
                        .linkLost(.connectionTerminatedByLocalHost)
                    )
                )
            }
        }
        return result
    }

    /// A pairing has succeeded: its keys are taken, and reported.
    private mutating func succeeded(_ made: PairingKeys, on handle: ConnectionHandle) -> [Action] {
        guard let link = links[handle] else { return [] }
        links[handle]?.session = nil
        links[handle]?.command = nil
        attempts.succeeded(keys.identity(of: link.peer))
        let identity = made.identity
        guard let command = link.command else {
            let actions = paired(
                made.agreement,
                by: link.peer,
                identity: identity,
                made: made.generated(for: identity?.address ?? link.peer)
            )
            return deliver(actions) + answerRequests(on: handle, .success)
        }
        let result = paired(
            made.agreement,
            command,
            identity: identity ?? DeviceIdentity(address: link.peer, key: .zero),
            address: link.peer
        ) { made.generated(for: $0) }
        return deliver(result.keys) + deliver(result.end, to: link.program)
    }

    /// A pairing has ended without keys, or its link has.
    mutating func endPairing(on handle: ConnectionHandle, _ status: ManagementStatus) -> [Action] {
        guard let link = links[handle] else { return [] }
        links[handle]?.session = nil
        links[handle]?.command = nil
        guard let command = link.command else { return failed(status, by: handle) }
        return deliver(pairingFailed(status, command), to: link.program)
    }

    /// A pairing that a central has asked for has failed.
    private mutating func failed(_ status: ManagementStatus, by handle: ConnectionHandle) -> [Action] {
        guard let link = links[handle] else { return [] }
        // The program whose command fails is not told twice.
        let actions = deliver(pairingFailed(status, by: link.peer), to: link.requests.first?.program)
        let answer: ManagementStatus = status == .disconnected ? .disconnected : .authenticationFailed
        return actions + answerRequests(on: handle, answer)
    }

    /// Gives a pairing up that a program does not want any more.
    mutating func cancel(_ handle: ConnectionHandle, _ status: ManagementStatus) -> [Action] {
        guard var session = links[handle]?.session else { return [] }
        // Only what goes to the peer: the program gets the status of its own command.
        let sent = session.cancel().compactMap { action -> Action? in
            if case .send(let pdu) = action { .send(pdu, on: handle) } else { nil }
        }
        return sent + endPairing(on: handle, status)
    }

    /// Answers the programs that have asked the central for security.
    mutating func answerRequests(on handle: ConnectionHandle, _ status: ManagementStatus) -> [Action] {
        guard let link = links[handle] else { return [] }
        links[handle]?.requests = []
        return link.requests.flatMap { request in
            let command = try? ManagementCommandCatalog.command(in: request.packet) as? PairDevice
            let device = command?.device ?? ManagementAddress(link.peer)
            return deliver(answer(request.packet, status, device), to: request.program)
        }
    }
}
