// SPDX-License-Identifier: MIT

import Bluetooth

/// The course of one pairing, as the management interface reports it.
///
/// The kernel speaks the Security Manager Protocol with the device. It asks the questions that a person has to answer,
/// sends the keys as events, and completes Pair Device after them. This state machine decides the answers, and when to
/// give up.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, Pair Device Command; Core 5.4, Vol 3, Part H, 2.3 and 3.4
struct PairingProcess: Sendable {
    struct Limits: Hashable, Sendable {
        /// Without the time in which a person is asked.
        var total: Duration
        /// At least this long after a passkey was shown, which a person has to enter at the device.
        var display = Duration.seconds(30)
        /// For the answer of a person. The Security Manager gives up after this time, at both ends.
        var person = Duration.seconds(30)
    }

    enum Action: Equatable, Sendable {
        case pair
        case ask(PairingPrompt)
        /// Take the prompt back: its answer has no effect any more.
        case withdraw
        case report(PairingStep)
        /// Send the reply to a User Confirmation Request.
        case reply(isConfirmed: Bool)
        /// Send the reply to a User Passkey Request; `nil` is the negative one.
        case replyPasskey(UInt32?)
        case cancel
        /// Send Unpair Device, because the pairing has succeeded after it was cancelled.
        case unpair
        /// It is over. `nil`: it was cancelled.
        case finished(Result<Pairing, PairingError>?)
    }

    /// For the keys that come after the completion of the command.
    static let keyTimeout = Duration.seconds(2)
    /// For the kernel's answer to Cancel Pair Device, and for its report after the end of the link.
    static let cancelTimeout = Duration.seconds(1)
    /// For further keys of a pairing that the other side began. The kernel reports all of them at once.
    static let settlingTime = Duration.milliseconds(200)
    /// For the reason of a failure. It comes on another socket than the failure, often later on a busy machine.
    static let reasonTimeout = Duration.seconds(1)
    /// The maximum number of keys of a kind: far more than a pairing makes, which is one for each side.
    private static let keyLimit = 8

    private enum Reason: Sendable {
        case problem(PairingError.Problem)
        case cancelled
    }

    private enum State: Sendable {
        case idle
        /// Pair Device was sent. `rest` is the time that is left when the person has answered the prompt.
        case running(until: Instant, asked: (prompt: PairingPrompt, rest: Duration)?)
        /// Pair Device is complete, and the keys are still to come.
        case collecting(until: Instant)
        /// It has failed, and the reason is still to be observed. The problem is what is known without it.
        case explaining(PairingError.Problem, until: Instant)
        case cancelling(Reason, until: Instant)
        case finished
    }

    private let device: DeviceAddress
    private let wantsBond: Bool
    private let limits: Limits
    /// Whether the other side started the pairing. No command then reports its end.
    private let isAsked: Bool
    private let isObserved: Bool
    private var state = State.idle
    private var pairing: Pairing
    private var hasDeclined = false
    private var failure: PairingFailure?
    private var linkEnd: RadioError?
    private var shownPasskey: UInt32?

    /// A pairing that has not begun.
    ///
    /// - Parameters:
    ///   - device: The other side, by the address that it has at the moment.
    ///   - wantsBond: Whether to store the keys.
    ///   - isAsked: Whether the other side starts the pairing.
    ///   - isObserved: Whether `observed` reports the PDUs of the link, so that a failure waits for its reason.
    init(
        _ device: DeviceAddress,
        wantsBond: Bool,
        limits: Limits,
        isAsked: Bool = false,
        isObserved: Bool = false
    ) {
        self.isAsked = isAsked
        self.isObserved = isObserved
        self.device = device
        self.wantsBond = wantsBond
        self.limits = limits
        pairing = Pairing(device: device)
    }

    /// The time at which `timerFired` must be called.
    var nextDeadline: Instant? {
        switch state {
        case .idle, .finished: nil
        case .running(let until, _), .collecting(let until), .explaining(_, let until), .cancelling(_, let until):
            until
        }
    }

    /// Whether it has failed, and waits for the reason.
    var isUnexplained: Bool {
        if case .explaining = state { true } else { false }
    }

    // MARK: - Events

    mutating func start(now: Instant) -> [Action] {
        guard case .idle = state else { return [] }
        state = .running(until: now + limits.total, asked: nil)
        return isAsked ? [.report(.started)] : [.pair, .report(.started)]
    }

    func concerns(_ event: ManagementEvent) -> Bool {
        switch event {
        case .known(let event as UserConfirmationRequestEvent): isOurs(event.device)
        case .known(let event as UserPasskeyRequestEvent): isOurs(event.device)
        case .known(let event as PasskeyNotifyEvent): isOurs(event.device)
        case .known(let event as NewIdentityResolvingKeyEvent): isOurs(event)
        case .known(let event as NewLongTermKeyEvent): isOurs(event.key.device)
        case .known(let event as NewSignatureResolvingKeyEvent): isOurs(event.key.device)
        case .known(let event as AuthenticationFailedEvent): isOurs(event.device)
        case .known(let event as DeviceDisconnectedEvent): isOurs(event.device)
        default: false
        }
    }

    /// Processes an event of the adapter. Those about other devices have no effect.
    mutating func received(_ event: ManagementEvent, now: Instant) -> [Action] {
        switch state {
        case .running, .collecting: break
        case .idle, .explaining, .cancelling, .finished: return []
        }
        switch event {
        case .known(let event as UserConfirmationRequestEvent) where isOurs(event.device):
            return ask(event.isOnlyConsent ? .consent : .compare(event.value), now)
        case .known(let event as UserPasskeyRequestEvent) where isOurs(event.device):
            return ask(.enterPasskey, now)
        case .known(let event as PasskeyNotifyEvent) where isOurs(event.device):
            return show(event, now)
        case .known(let event as NewIdentityResolvingKeyEvent) where isOurs(event):
            if let identity = event.key.device.device, identity.address.rawValue != 0 { pairing.device = identity }
            // A device without private addresses sends zeros, with which anybody could make an address of it.
            guard event.key.value != .zero else { return [] }
            pairing.identityKey = event.key.value
            return took(.identity, isToBeStored: event.isToBeStored, at: now)
        case .known(let event as NewLongTermKeyEvent) where isOurs(event.key.device):
            guard pairing.longTermKeys.count < Self.keyLimit else { return [] }
            pairing.longTermKeys.append(event.key)
            return took(.longTerm, isToBeStored: event.isToBeStored, at: now)
        case .known(let event as NewSignatureResolvingKeyEvent) where isOurs(event.key.device):
            guard pairing.signatureKeys.count < Self.keyLimit else { return [] }
            pairing.signatureKeys.append(event.key)
            let key = event.key.kind.isLocal ? BondKey.ownSignature : .signature
            return took(key, isToBeStored: event.isToBeStored, at: now)
        case .known(let event as AuthenticationFailedEvent) where isAsked && isOurs(event.device):
            return fail(.rejected(event.status), now)
        case .known(let event as DeviceDisconnectedEvent) where isAsked && isOurs(event.device):
            // A central may disconnect as soon as it has its keys.
            guard pairing.longTermKeys.isEmpty else { return succeed() }
            return finish(.problem(.linkEnded(RadioError(.closedByPeer(nil), during: "pairing"))))
        default:
            return []
        }
    }

    mutating func completed(_ result: Result<Void, ManagementCommandFailure>, now: Instant) -> [Action] {
        switch (state, result) {
        case (.idle, _), (.finished, _), (.collecting, _), (.explaining, _):
            return []
        case (.cancelling(let reason, _), .failure):
            return finish(reason)
        // The pairing completed before the cancellation: its bond is unwanted and must be removed.
        case (.cancelling(let reason, _), .success):
            return [.unpair] + finish(reason)
        case (.running, .success):
            // Keys of a pairing without a bond are not to be kept, so none are missing.
            guard wantsBond, pairing.longTermKeys.isEmpty else { return succeed() }
            state = .collecting(until: now + Self.keyTimeout)
            return []
        case (.running, .failure(let failure)):
            return fail(failure, now)
        }
    }

    mutating func answered(_ answer: PairingAnswer, now: Instant) -> [Action] {
        guard case .running(_, let asked?) = state else { return [] }
        state = .running(until: now + asked.rest, asked: nil)
        let report = Action.report(.answered(asked.prompt, answer))
        switch (asked.prompt, answer) {
        case (.enterPasskey, .passkey(let passkey)): return [report, .replyPasskey(passkey)]
        case (.enterPasskey, _):
            hasDeclined = true
            return [report, .replyPasskey(nil)]
        case (_, .yes): return [report, .reply(isConfirmed: true)]
        case (_, .no), (_, .passkey):
            hasDeclined = true
            return [report, .reply(isConfirmed: false)]
        }
    }

    mutating func observed(_ pdu: SecurityManagerPDU) -> [Action] {
        guard case .pairingFailed(let reason) = pdu else { return [] }
        failure = failure ?? reason
        guard case .explaining = state else { return [] }
        return finish(.problem(.failed(reason)))
    }

    /// The other side has begun another pairing, or there is no time left: a failure waits no longer for its reason.
    mutating func superseded() -> [Action] {
        guard case .explaining(let problem, _) = state else { return [] }
        return finish(.problem(problem))
    }

    /// The link has ended. The kernel will report the end of the pairing as well, with a better reason.
    mutating func linkEnded(_ error: RadioError, now: Instant) -> [Action] {
        linkEnd = linkEnd ?? error
        guard case .running(let until, _) = state else { return [] }
        state = .running(until: min(until, now + Self.cancelTimeout), asked: nil)
        return []
    }

    mutating func cancelled(now: Instant) -> [Action] { cancel(.cancelled, now) }

    mutating func timerFired(now: Instant) -> [Action] {
        switch state {
        case .running(let until, let asked) where until <= now:
            if let linkEnd { return cancel(.problem(.linkEnded(linkEnd)), now) }
            return cancel(.problem(.timedOut(asked == nil ? limits.total : limits.person)), now)
        case .collecting(let until) where until <= now: return succeed()
        case .explaining(let problem, let until) where until <= now: return finish(.problem(problem))
        case .cancelling(let reason, let until) where until <= now: return finish(reason)
        default: return []
        }
    }

    // MARK: - Decisions

    private mutating func ask(_ prompt: PairingPrompt, _ now: Instant) -> [Action] {
        guard case .running(let until, nil) = state, linkEnd == nil else { return [] }
        switch prompt {
        case .consent: pairing.method = .justWorks
        case .compare: pairing.method = .numericComparison
        case .enterPasskey: pairing.method = .passkeyEntry(isAsked ? .initiatorDisplays : .responderDisplays)
        }
        state = .running(until: now + limits.person, asked: (prompt, until - now))
        return [.ask(prompt)]
    }

    private mutating func show(_ event: PasskeyNotifyEvent, _ now: Instant) -> [Action] {
        guard case .running(let until, let asked) = state else { return [] }
        pairing.method = .passkeyEntry(isAsked ? .responderDisplays : .initiatorDisplays)
        guard shownPasskey == event.passkey else {
            shownPasskey = event.passkey
            state = .running(until: max(until, now + limits.display), asked: asked)
            return [.report(.showPasskey(event.passkey))]
        }
        return [.report(.digitsEntered(event.enteredCount))]
    }

    private mutating func took(_ key: BondKey, isToBeStored: Bool, at now: Instant) -> [Action] {
        if key == .longTerm { pairing.isBonded = isToBeStored && wantsBond }
        let report = Action.report(.received(key))
        if isAsked {
            state = .collecting(until: now + Self.settlingTime)
            return [report]
        }
        guard case .collecting = state, !pairing.longTermKeys.isEmpty else { return [report] }
        return [report] + succeed()
    }

    private mutating func succeed() -> [Action] {
        state = .finished
        // No event names this method. Keys that are authenticated although no person was asked are due to data that
        // came another way, whichever side has them.
        let isAuthenticated = !pairing.longTermKeys.isEmpty && pairing.longTermKeys.allSatisfy(\.kind.isAuthenticated)
        if pairing.method == nil, isAuthenticated { pairing.method = .outOfBand }
        return [.finished(.success(pairing))]
    }

    /// Ends it, or waits for the reason if it can still be observed. The time limit of the pairing stays.
    private mutating func fail(_ command: ManagementCommandFailure, _ now: Instant) -> [Action] {
        let problem = problem(of: command)
        guard isObserved, problem == .rejected(.authenticationFailed), case .running(let until, let asked) = state
        else { return finish(.problem(problem)) }
        state = .explaining(problem, until: min(until, now + Self.reasonTimeout))
        return asked == nil ? [] : [.withdraw]
    }

    private mutating func finish(_ reason: Reason) -> [Action] {
        state = .finished
        switch reason {
        case .cancelled: return [.finished(nil)]
        case .problem(let problem): return [.finished(.failure(PairingError(device, problem)))]
        }
    }

    private mutating func cancel(_ reason: Reason, _ now: Instant) -> [Action] {
        switch state {
        // No command is there to be cancelled.
        case .running where isAsked: return [.cancel] + finish(reason)
        case .running:
            state = .cancelling(reason, until: now + Self.cancelTimeout)
            return [.cancel]
        case .idle, .collecting, .explaining: return finish(reason)
        case .cancelling, .finished: return []
        }
    }

    private func problem(of command: ManagementCommandFailure) -> PairingError.Problem {
        // The kernel reports a declined prompt with the same status as other failures.
        if hasDeclined { return .declined }
        switch command {
        case .rejected(.alreadyPaired): return .rejected(.alreadyPaired)
        case .rejected(.timeout): return .timedOut(limits.total)
        case .rejected(let status):
            if let failure { return .failed(failure) }
            if status != .authenticationFailed, let linkEnd { return .linkEnded(linkEnd) }
            return .rejected(status)
        case .timedOut: return .timedOut(limits.total)
        case .queueFull: return .rejected(.busy)
        case .closed: return linkEnd.map { .linkEnded($0) } ?? .rejected(.failed)
        }
    }

    /// Whether an event is about the device, under the address that was paired with or under its identity address.
    private func isOurs(_ address: ManagementAddress) -> Bool {
        guard let other = address.device else { return false }
        return other.address == device.address || other.address == pairing.device.address
    }

    private func isOurs(_ event: NewIdentityResolvingKeyEvent) -> Bool {
        isOurs(event.key.device) || event.privateAddress == device.address
    }
}
