// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost

/// One pairing, from its request to its last key, on either side of it.
///
/// A pure state machine: packets of the peer, answers of a person, and times go in; packets, questions and the keys come
/// out. A packet that does not belong where it comes ends the pairing, because the order is part of the proof.
///
/// Spec: Core 5.4, Vol 3, Part H, 2.3 and 2.4, Appendix C
struct PairingSession: Sendable {
    /// A question to the person here.
    enum Question: Hashable, Sendable {
        /// Whether to pair at all, without proof of who the peer is.
        case consent
        /// Whether the peer shows these digits.
        case compare(UInt32)
        /// The digits that the peer shows, or that its user enters as well.
        case passkey
    }

    enum Action: Hashable, Sendable {
        case send(PairingPDU)
        case ask(Question)
        /// Show the digits that are to be entered at the peer.
        case show(UInt32)
        /// Encrypt the link with the key. Only the initiator does: the responder's controller asks for it.
        case encrypt(SecurityKey)
        case finished(Outcome)
    }

    enum Outcome: Hashable, Sendable {
        case paired(PairingKeys)
        case failed(PairingFailure, byPeer: Bool)
        /// The peer did not answer any more.
        case silence
    }

    enum State: Sendable {
        /// The initiator waits for the response.
        case requested(PairingFeatures)
        case legacy(LegacyProof)
        case secure(SecureProof)
        /// Both have the key that encrypts the link: the key, and the long-term key if it is one.
        case encrypting(PairingAgreement, SecurityKey)
        case distributing(KeyExchange)
        case finished
    }

    /// The time in which the peer, or the persons at both ends, do the next step.
    ///
    /// Spec: Core 5.4, Vol 3, Part H, 3.4
    static let timeout = Duration.seconds(30)

    let isInitiator: Bool
    let terms: PairingTerms
    let random: PairingRandom
    var state: State
    private(set) var deadline: Instant

    private init(isInitiator: Bool, _ terms: PairingTerms, _ random: PairingRandom, _ state: State, now: Instant) {
        self.isInitiator = isInitiator
        self.terms = terms
        self.random = random
        self.state = state
        deadline = now + Self.timeout
    }

    static func requesting(
        _ request: PairingFeatures,
        _ terms: PairingTerms,
        _ random: PairingRandom,
        now: Instant
    ) -> (session: Self, actions: [Action]) {
        (Self(isInitiator: true, terms, random, .requested(request), now: now), [.send(.request(request))])
    }

    /// Agrees to a pairing that the central has asked for.
    static func responding(
        to request: PairingFeatures,
        with response: PairingFeatures,
        _ terms: PairingTerms,
        _ random: PairingRandom,
        now: Instant
    ) -> (session: Self, actions: [Action]) {
        var session = Self(isInitiator: false, terms, random, .requested(request), now: now)
        let actions = [.send(.response(response))] + session.agree(request, response)
        return (session, actions)
    }

    /// The time at which `timerFired` must be called.
    var nextDeadline: Instant? { if case .finished = state { nil } else { deadline } }

    // MARK: - Events

    /// Takes a packet of the peer.
    mutating func received(_ pdu: PairingPDU, now: Instant) -> [Action] {
        deadline = now + Self.timeout
        switch (pdu, state) {
        case (_, .finished), (.keypress, _): return []
        case (.failed(let reason), _): return finish(.failed(reason, byPeer: true))
        case (.response(let response), .requested(let request)) where isInitiator: return agree(request, response)
        case (_, .legacy(var proof)):
            let step = proof.received(pdu, in: self)
            state = .legacy(proof)
            return perform(step)
        case (_, .secure(var proof)):
            let step = proof.received(pdu, in: self)
            state = .secure(proof)
            return perform(step)
        case (_, .distributing(var exchange)):
            let step = exchange.received(pdu)
            state = .distributing(exchange)
            return perform(step)
        // A second request while the first runs, or a packet too early.
        case (_, .requested), (_, .encrypting): return fail(.unspecifiedReason)
        }
    }

    /// A packet of the peer could not be understood.
    mutating func receivedInvalid() -> [Action] { fail(.invalidParameters) }

    mutating func confirmed(_ isConfirmed: Bool, now: Instant) -> [Action] {
        deadline = now + Self.timeout
        switch state {
        case .legacy(var proof):
            // The reasons that Linux gives: net/bluetooth/smp.c, smp_user_confirm_reply and sc_user_reply.
            guard isConfirmed else { return fail(.passkeyEntryFailed) }
            let step = proof.confirmed(in: self)
            state = .legacy(proof)
            return perform(step)
        case .secure(var proof):
            guard isConfirmed else { return fail(.numericComparisonFailed) }
            let step = proof.confirmed(in: self)
            state = .secure(proof)
            return perform(step)
        case .requested, .encrypting, .distributing, .finished: return []
        }
    }

    /// A person has entered a passkey; `nil` for none.
    mutating func entered(_ passkey: UInt32?, now: Instant) -> [Action] {
        deadline = now + Self.timeout
        switch state {
        case .legacy(var proof):
            guard let passkey else { return fail(.passkeyEntryFailed) }
            let step = proof.entered(passkey, in: self)
            state = .legacy(proof)
            return perform(step)
        case .secure(var proof):
            guard let passkey else { return fail(.passkeyEntryFailed) }
            let step = proof.entered(passkey, in: self)
            state = .secure(proof)
            return perform(step)
        case .requested, .encrypting, .distributing, .finished: return []
        }
    }

    /// The key that the controller of the responder asks for; `nil` if this pairing has none yet, or if another is meant.
    func key(for request: LELongTermKeyRequestEvent) -> SecurityKey? {
        guard case .encrypting(_, let key) = state, request.diversifier == 0, request.randomNumber == 0 else {
            return nil
        }
        return key
    }

    /// The link is encrypted with the key of this pairing.
    mutating func encrypted(now: Instant) -> [Action] {
        guard case .encrypting(let agreement, let key) = state else { return [] }
        deadline = now + Self.timeout
        var exchange = KeyExchange(agreement, key, in: self)
        let step = exchange.begin()
        state = .distributing(exchange)
        return perform(step)
    }

    mutating func cancel(_ reason: PairingFailure = .unspecifiedReason) -> [Action] { fail(reason) }

    mutating func timerFired(now: Instant) -> [Action] {
        guard let end = nextDeadline, end <= now else { return [] }
        return finish(.silence)
    }

    // MARK: - Decisions

    /// What a part of the pairing leads to.
    enum Step: Sendable {
        case go([Action])
        case fail(PairingFailure)
        /// Both have proved who they are, and have the key.
        case encrypt([Action], PairingAgreement, SecurityKey)
        case done([Action], PairingKeys)
    }

    private mutating func perform(_ step: Step) -> [Action] {
        switch step {
        case .go(let actions): return actions
        case .fail(let reason): return fail(reason)
        case .encrypt(let actions, let agreement, let key):
            state = .encrypting(agreement, key)
            return actions + (isInitiator ? [.encrypt(key)] : [])
        case .done(let actions, let keys): return actions + finish(.paired(keys))
        }
    }

    /// Both have said what they can: decides how they prove who they are, and begins.
    private mutating func agree(_ request: PairingFeatures, _ response: PairingFeatures) -> [Action] {
        let agreement = PairingAgreement(request: request, response: response)
        guard agreement.keySize >= terms.shortestKey else { return fail(.encryptionKeySize) }
        if terms.demandsSecureConnections, !agreement.isSecureConnections { return fail(.authenticationRequirements) }
        if agreement.isSecureConnections {
            // The key of the data that the peer was given, if it was given any.
            let isGiven = isInitiator ? response.hasOutOfBandData : request.hasOutOfBandData
            let given = isGiven ? terms.ownData?.keys : nil
            var proof = SecureProof(agreement, request, response, given ?? random.keyPair())
            let step = proof.begin(in: self)
            state = .secure(proof)
            return perform(step)
        }
        // The data of legacy pairing are a key of another kind, which nobody gives this side.
        guard agreement.method != .outOfBand else { return fail(.outOfBandNotAvailable) }
        var proof = LegacyProof(agreement, request, response, random: random.key())
        let step = proof.begin(in: self)
        state = .legacy(proof)
        return perform(step)
    }

    private mutating func fail(_ reason: PairingFailure) -> [Action] {
        if case .finished = state { return [] }
        return [.send(.failed(reason))] + finish(.failed(reason, byPeer: false))
    }

    private mutating func finish(_ outcome: Outcome) -> [Action] {
        state = .finished
        return [.finished(outcome)]
    }

    var addresses: (initiator: DeviceAddress, responder: DeviceAddress) {
        isInitiator ? (terms.own, terms.peer) : (terms.peer, terms.own)
    }
}
