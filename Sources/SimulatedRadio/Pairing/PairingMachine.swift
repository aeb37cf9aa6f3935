// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import BluetoothHost

/// The course of one pairing between a simulated kernel and a simulated device, or between two kernels: the exchange of
/// both Security Managers, without packets and cryptography.
///
/// A pure state machine. Answers of a person and times go in; questions, the digits to show and the result come out.
///
/// Spec: Core 5.4, Vol 3, Part H, 2.3 and 3.4
struct PairingMachine: Sendable {
    enum Side: Hashable, Sendable {
        case adapter
        /// The other adapter, if the partner is one.
        case partner
    }

    enum Question: Hashable, Sendable {
        case consent
        /// Whether the device shows these digits.
        case compare(UInt32)
        /// The digits that the device shows, or that its user enters as well.
        case passkey
    }

    typealias Agreement = PairingAgreement

    enum Outcome: Hashable, Sendable {
        case paired(Agreement)
        /// One side has sent Pairing Failed.
        case failed(PairingFailure, byDevice: Bool)
        /// The device did not answer any more, so that the adapter ends the link.
        case silence
    }

    enum Action: Hashable, Sendable {
        case ask(Question)
        case askPartner(Question)
        /// Show the digits that are to be entered at the device.
        case show(UInt32)
        /// Let the other adapter show the digits that are to be entered at this one.
        case showPartner(UInt32)
        /// The link is encrypted from now on. The long-term keys are not known yet.
        case encrypt(Agreement)
        case finished(Outcome)
    }

    /// The capabilities and settings of the adapter.
    struct Offer: Hashable, Sendable {
        var request: PairingFeatures
        /// Whether the adapter refuses legacy pairing.
        var demandsSecureConnections = false
        /// The out-of-band data of the device that the adapter was given.
        var data: OutOfBandData.Pair?
        /// The out-of-band data of the adapter, which another one may have.
        var ownData: OutOfBandData.Pair?
        /// The digits that the adapter would show, or that both would show.
        var digits: UInt32
        /// The digits that the device would show.
        var devicesDigits: UInt32
        /// The connection interval of the link.
        var interval: Duration
    }

    /// The time after which a Security Manager gives up.
    ///
    /// Spec: Core 5.4, Vol 3, Part H, 3.4
    static let timeout = Duration.seconds(30)
    /// The time in which the person at the device enters six digits.
    static let typingTime = Duration.seconds(3)
    /// The shortest key that the kernel accepts.
    private static let shortestKey: UInt8 = 7

    private enum State: Sendable {
        case idle
        case requesting(until: Instant)
        case asking(Open, Agreement, until: Instant)
        /// Both sides authenticate. `failure` is the result.
        case proving(Agreement, failure: Failure?, until: Instant)
        case distributing(Agreement, until: Instant)
        /// Nothing comes from the device any more.
        case waiting(until: Instant)
        case finished
    }

    /// The questions that have no answer yet.
    private struct Open: Sendable {
        var questions: [Side: Question]
        /// The digits that were entered first, if both persons enter them.
        var entered: UInt32?
        /// The result of the entered digits.
        var failure: Failure?
    }

    /// A proof that is wrong, and the side that finds it out.
    private struct Failure: Sendable {
        var reason: PairingFailure
        var isByDevice = true
    }

    /// The side that is asked for the pairing.
    private enum Partner: Sendable {
        case device(DevicePairing?)
        case adapter(PairingAnswerer)
    }

    private let offer: Offer
    private let partner: Partner
    private var state = State.idle

    /// A pairing that has not begun.
    ///
    /// - Parameters:
    ///   - offer: The capabilities and settings of the adapter.
    ///   - policy: The behaviour of the device; `nil` for one that does not pair.
    init(_ offer: Offer, with policy: DevicePairing?) {
        self.offer = offer
        partner = .device(policy)
    }

    /// A pairing with another adapter that was not asked for yet.
    init(_ offer: Offer, with answerer: PairingAnswerer) {
        self.offer = offer
        partner = .adapter(answerer)
    }

    /// The behaviour of the device; `nil` for one that does not pair, and for another adapter.
    private var policy: DevicePairing? {
        guard case .device(let policy) = partner else { return nil }
        return policy
    }

    /// The time at which `timerFired` must be called.
    var nextDeadline: Instant? {
        switch state {
        case .idle, .finished: nil
        case .requesting(let until), .asking(_, _, let until), .proving(_, _, let until), .distributing(_, let until),
            .waiting(let until):
            until
        }
    }

    // MARK: - Events

    mutating func start(now: Instant) -> [Action] {
        guard case .idle = state else { return [] }
        // The request and its answer take a connection event each.
        let sent = now + offer.interval * 2
        state = policy?.silence == .request ? .waiting(until: sent + Self.timeout) : .requesting(until: sent)
        return []
    }

    mutating func confirmed(_ isConfirmed: Bool, by side: Side = .adapter, now: Instant) -> [Action] {
        guard case .asking(var open, let agreement, let until) = state, let question = open.questions[side] else {
            return []
        }
        switch question {
        case .passkey: return []
        case .consent, .compare: break
        }
        guard isConfirmed else {
            // The reasons that Linux gives: net/bluetooth/smp.c, smp_user_confirm_reply and sc_user_reply.
            let isLegacy = !agreement.isSecureConnections
            return fail(isLegacy ? .passkeyEntryFailed : .numericComparisonFailed, byDevice: side == .partner)
        }
        open.questions[side] = nil
        settle(open, agreement, until: until, now: now)
        return []
    }

    /// A person has entered a passkey; `nil` for none.
    mutating func entered(_ passkey: UInt32?, by side: Side = .adapter, now: Instant) -> [Action] {
        guard case .asking(var open, let agreement, let until) = state, open.questions[side] == .passkey else {
            return []
        }
        guard let passkey else { return fail(.passkeyEntryFailed, byDevice: side == .partner) }
        open.questions[side] = nil
        if passkey != expected(after: passkey, agreement, open) { open.failure = Failure(reason: .confirmValueFailed) }
        // After the comparison, which needs the digits of the other person.
        open.entered = passkey
        settle(open, agreement, until: until, now: now)
        return []
    }

    /// The digits that are right, when some were entered.
    private func expected(after passkey: UInt32, _ agreement: Agreement, _ open: Open) -> UInt32 {
        switch (agreement.method, partner) {
        case (.passkeyEntry(.initiatorDisplays), _): offer.digits
        // Without a passkey of its own, the device stands for a person who enters the same digits.
        case (.passkeyEntry(.bothEnter), .device(let policy)): policy?.passkey ?? passkey
        case (.passkeyEntry(.bothEnter), .adapter): open.entered ?? passkey
        case (_, .device(let policy)): policy?.passkey ?? offer.devicesDigits
        case (_, .adapter): offer.devicesDigits
        }
    }

    /// Goes on when all questions are answered.
    private mutating func settle(_ open: Open, _ agreement: Agreement, until: Instant, now: Instant) {
        guard open.questions.isEmpty else {
            state = .asking(open, agreement, until: until)
            return
        }
        prove(agreement, open.failure, now: now)
    }

    mutating func timerFired(now: Instant) -> [Action] {
        guard let deadline = nextDeadline, deadline <= now else { return [] }
        switch state {
        case .idle, .finished: return []
        case .requesting: return answered(now: now)
        case .asking, .waiting: return finish(.silence)
        case .proving(_, let failure?, _): return fail(failure.reason, byDevice: failure.isByDevice)
        case .proving(let agreement, nil, _): return encrypted(agreement, now: now)
        case .distributing(let agreement, _): return finish(.paired(agreement))
        }
    }

    // MARK: - Decisions

    private mutating func answered(now: Instant) -> [Action] {
        let request = offer.request
        let response: PairingFeatures
        switch partner {
        case .device(nil): return fail(.pairingNotSupported, byDevice: true)
        case .device(let policy?):
            if let refusal = policy.refusal { return fail(refusal, byDevice: true) }
            if policy.outOfBand != nil, !request.hasOutOfBandData {
                return fail(.outOfBandNotAvailable, byDevice: true)
            }
            response = policy.response(to: request)
        case .adapter(let answerer):
            switch answerer.answer(to: request) {
            case .refusal(let refusal): return fail(refusal, byDevice: true)
            case .response(let answer): response = answer
            }
        }
        let agreement = Agreement(request: request, response: response)
        if policy?.secureConnections == .only, !agreement.isSecureConnections {
            return fail(.authenticationRequirements, byDevice: true)
        }
        if offer.demandsSecureConnections, !agreement.isSecureConnections {
            return fail(.authenticationRequirements, byDevice: false)
        }
        if policy?.needsAuthentication == true, !agreement.method.isAuthenticated {
            return fail(.authenticationRequirements, byDevice: true)
        }
        guard agreement.keySize >= Self.shortestKey else { return fail(.encryptionKeySize, byDevice: false) }
        return begin(agreement, now: now)
    }

    private mutating func begin(_ agreement: Agreement, now: Instant) -> [Action] {
        switch agreement.method {
        case .justWorks: return ask(agreement, .consent, partner: .consent, now)
        case .numericComparison:
            return ask(agreement, .compare(offer.digits), partner: .compare(offer.digits), now)
        case .passkeyEntry(.responderDisplays):
            let asked = ask(agreement, .passkey, partner: nil, now)
            return hasPartner ? [.showPartner(offer.devicesDigits)] + asked : asked
        case .passkeyEntry(.bothEnter): return ask(agreement, .passkey, partner: .passkey, now)
        case .passkeyEntry(.initiatorDisplays):
            if hasPartner { return [.show(offer.digits)] + ask(agreement, nil, partner: .passkey, now) }
            // A device without a passkey of its own stands for a person who types the shown digits.
            let isRight = policy?.passkey.map { $0 == offer.digits } ?? true
            prove(agreement, isRight ? nil : Failure(reason: .confirmValueFailed), now: now + Self.typingTime)
            return [.show(offer.digits)]
        case .outOfBand:
            prove(agreement, dataFailure, now: now)
            return []
        }
    }

    /// Whether the partner is another adapter, with another person.
    private var hasPartner: Bool {
        guard case .adapter = partner else { return false }
        return true
    }

    /// The result of comparing the out-of-band data that each side was given with those that the other one has. The
    /// partner compares first, because it gets the other public key first.
    private var dataFailure: Failure? {
        switch partner {
        case .device(let policy):
            let right = policy?.outOfBand.map { OutOfBandData.Pair(hash: $0.hash, randomizer: $0.random) }
            if let right, right == offer.data { return nil }
        case .adapter(let answerer):
            if let given = answerer.partnerData, given != offer.ownData { return Failure(reason: .confirmValueFailed) }
            if offer.data == nil || offer.data == answerer.data { return nil }
        }
        return Failure(reason: .confirmValueFailed, isByDevice: false)
    }

    /// Asks the person at the adapter, and the one at the partner if that is an adapter as well.
    private mutating func ask(
        _ agreement: Agreement,
        _ question: Question?,
        partner other: Question?,
        _ now: Instant
    ) -> [Action] {
        var open = Open(questions: [:])
        open.questions[.adapter] = question
        if hasPartner { open.questions[.partner] = other }
        state = .asking(open, agreement, until: now + Self.timeout)
        let asked = question.map { [Action.ask($0)] } ?? []
        return asked + (open.questions[.partner].map { [Action.askPartner($0)] } ?? [])
    }

    /// Both sides send their proofs of the shared secret.
    private mutating func prove(_ agreement: Agreement, _ failure: Failure?, now: Instant) {
        guard policy?.silence != .confirmation else {
            state = .waiting(until: now + Self.timeout)
            return
        }
        state = .proving(agreement, failure: failure, until: now + offer.interval * agreement.roundTrips)
    }

    private mutating func encrypted(_ agreement: Agreement, now: Instant) -> [Action] {
        let keys = agreement.initiatorKeys.count + agreement.responderKeys.count
        if keys == 0 { return [.encrypt(agreement)] + finish(.paired(agreement)) }
        state =
            policy?.silence == .keys
            ? .waiting(until: now + Self.timeout) : .distributing(agreement, until: now + offer.interval * keys)
        return [.encrypt(agreement)]
    }

    private mutating func fail(_ failure: PairingFailure, byDevice: Bool) -> [Action] {
        finish(.failed(failure, byDevice: byDevice))
    }

    private mutating func finish(_ outcome: Outcome) -> [Action] {
        state = .finished
        return [.finished(outcome)]
    }
}

extension PairingMachine.Agreement {
    /// The connection events until the link is encrypted: the public keys, the confirmations and random numbers, which
    /// a passkey of Secure Connections takes for each of its 20 bits, the checks, and the start of the encryption.
    fileprivate var roundTrips: Int {
        guard isSecureConnections else { return 4 + 6 }
        switch method {
        case .passkeyEntry: return 2 + 20 * 4 + 2 + 6
        case .justWorks, .numericComparison, .outOfBand: return 2 + 4 + 2 + 6
        }
    }
}

extension KeyDistribution {
    fileprivate var count: Int { rawValue.nonzeroBitCount }
}

extension DevicePairing {
    fileprivate func response(to request: PairingFeatures) -> PairingFeatures {
        var requirements: AuthenticationRequirements = []
        if bonding != .none { requirements.insert(.bonding) }
        if needsAuthentication { requirements.insert(.manInTheMiddleProtection) }
        if secureConnections != .off { requirements.insert(.secureConnections) }
        var keys: KeyDistribution = [.encryption]
        if signs { keys.insert(.signature) }
        var own = keys
        if addressLife != nil { own.insert(.identity) }
        return PairingFeatures(
            ioCapability: capability,
            // The flag is about data of the other side, and no device is given any of the adapter.
            hasOutOfBandData: false,
            requirements: requirements,
            maximumKeySize: maximumKeySize,
            initiatorKeys: request.initiatorKeys.intersection(keys.union(.identity)),
            responderKeys: request.responderKeys.intersection(own)
        )
    }
}
