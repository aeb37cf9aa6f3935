// SPDX-License-Identifier: MIT

import Bluetooth

/// The state of the link to one device: the callers that wait for it, the attempt in progress, and the time of the next
/// attempt.
///
/// There is one attempt at a time, because the device and the kernel both accept only one connection. An attempt
/// without callers is abandoned; a caller that arrives before the attempt has ended waits for its end first. Each
/// caller is resumed exactly once.
///
/// Only the lifecycle decides whether an operation is retried; `RecoverySchedule` restores a link that observers need.
/// Two kinds of failed attempts are counted: those that made no link, and those whose link was lost before the
/// operation could use it (`operationFailed`).
///
/// The device is shared with other programs of the machine. An attempt begins by taking the turn at the device, which
/// is kept until the link has ended or is no longer needed. `ConnectionAttempt` decides what follows a failed attempt.
struct ConnectionLifecycle<Link: Sendable>: Sendable {
    /// Identifies a caller; the caller chooses the number, and uses each number once.
    typealias CallerID = UInt64

    /// An operation's claim to a link. The operation holds it over all its attempts.
    struct Claim: Hashable, Sendable {
        /// How often the operation has lost its link, each loss with the attempts that the link had taken.
        fileprivate(set) var failures = 0
        /// Whether a failed attempt is followed by another one, as far as the policy allows.
        let isRetried: Bool
        /// Claims from before a `disconnect` are not honoured after it.
        fileprivate let generation: Int
    }

    struct Grant: Sendable {
        let link: Link
        let claim: Claim
        /// The number of attempts that the link has taken.
        let attempts: Int
    }

    /// Why there is no link.
    enum Failure: Error, Sendable {
        case failed(ConnectFailure)
        case cancelled
        /// `disconnect` was called.
        case disconnected
    }

    enum Action: Sendable {
        /// Make an attempt, not before that moment. If this program does not have the turn yet, wait for it until
        /// `turnBy`. The result is `attemptSucceeded` or `attemptFailed`.
        case attempt(at: Instant, turnBy: Instant)
        /// Cancel the attempt. Its result is reported nevertheless.
        case giveUp
        /// Report the wait for another program that holds the device. Occurs once for each attempt.
        case reportWait(RadioError)
        case reportRetry(attempt: Int, RadioError, pause: Duration)
        case resume(CallerID, Result<Grant, Failure>)
        /// Close a link that is not wanted, or not any more.
        case close(Link)
        /// Let other programs have their turn.
        case endTurn
    }

    /// The losses of a link that count as failed attempts to connect, so that the operation is repeated.
    enum RetriedLosses: Sendable {
        /// Losses before the device has sent anything.
        ///
        /// The kernel calls a link connected before the device has answered on it once; if it never answers (HCI 0x3E),
        /// that shows as the loss of the link. Some devices hang up on the first central that connects after another
        /// one. To a user both are failed attempts to connect.
        case beforeFirstPacket
        /// All losses that may not recur.
        case all
    }

    /// The fate of an operation whose link was lost.
    enum Verdict: Sendable {
        /// It is repeated with this claim after a pause. The failed attempt has this number.
        case `repeat`(Claim, attempt: Int, pause: Duration)
        case fail(any Error)
    }

    private struct Caller: Sendable {
        let id: CallerID
        /// The claim, with the links that it has lost.
        let claim: Claim
    }

    private enum State: Sendable {
        /// There is no link, and no caller needs one.
        case idle
        /// An attempt is being made, or waits for its moment.
        case connecting(ConnectionAttempt, callers: [Caller])
        /// The attempt was abandoned and will end soon. The callers arrived after that.
        case givingUp(attempt: Int, callers: [Caller])
        case connected(Link, attempts: Int)
    }

    private let retries: RetryPolicy
    /// How long other programs are waited for.
    private let waits: Duration
    private var state = State.idle
    /// How often `disconnect` was called.
    private var generation = 0

    /// There is no link, and none is wanted.
    init(retries: RetryPolicy, waits: Duration = .zero) {
        self.retries = retries
        self.waits = waits
    }

    var link: Link? {
        switch state {
        case .connected(let link, _): link
        case .idle, .connecting, .givingUp: nil
        }
    }

    /// The number of attempts for the present link, or of the attempt in progress; 0 if there is none.
    var attempts: Int {
        switch state {
        case .idle: 0
        case .connecting(let attempt, _): attempt.number
        case .givingUp(let attempt, _): attempt
        case .connected(_, let attempts): attempts
        }
    }

    /// The claim of a new operation.
    ///
    /// - Parameter isRetried: Whether a failed attempt is repeated. The recovery of a lost link times its attempts
    ///   itself, so it does not use this.
    func claim(isRetried: Bool = true) -> Claim { Claim(isRetried: isRetried, generation: generation) }

    // MARK: - Wishes of the owner

    mutating func wanted(by caller: CallerID, _ claim: Claim, now: Instant) -> [Action] {
        guard claim.generation == generation else { return [.resume(caller, .failure(.disconnected))] }
        let new = Caller(id: caller, claim: claim)
        switch state {
        case .idle:
            return begin([new], at: now)
        case .connecting(var attempt, let callers):
            // A claim counts the links that it has lost, so that the retry policy does not start over with each caller.
            attempt.count(failures: claim.failures)
            state = .connecting(attempt, callers: callers + [new])
            return []
        case .givingUp(let attempt, let callers):
            state = .givingUp(attempt: attempt, callers: callers + [new])
            return []
        case .connected(let link, let attempts):
            return [.resume(caller, .success(Grant(link: link, claim: claim, attempts: attempts)))]
        }
    }

    mutating func callerLeft(_ caller: CallerID) -> [Action] {
        switch state {
        // The caller was resumed before its cancellation arrived.
        case .idle, .connected:
            return []
        case .connecting(let attempt, var callers):
            guard let index = callers.firstIndex(where: { $0.id == caller }) else { return [] }
            callers.remove(at: index)
            state =
                callers.isEmpty
                ? .givingUp(attempt: attempt.number, callers: []) : .connecting(attempt, callers: callers)
            return [.resume(caller, .failure(.cancelled))] + (callers.isEmpty ? [.giveUp] : [])
        case .givingUp(let attempt, var callers):
            guard let index = callers.firstIndex(where: { $0.id == caller }) else { return [] }
            callers.remove(at: index)
            state = .givingUp(attempt: attempt, callers: callers)
            return [.resume(caller, .failure(.cancelled))]
        }
    }

    /// No link is wanted, nor will an operation that is about to be repeated get one.
    mutating func disconnect() -> [Action] {
        generation += 1
        switch state {
        // No caller waits.
        case .idle:
            return []
        case .connecting(let attempt, let callers):
            state = .givingUp(attempt: attempt.number, callers: [])
            return [.giveUp] + Self.resume(callers, .disconnected)
        case .givingUp(let attempt, let callers):
            state = .givingUp(attempt: attempt, callers: [])
            return Self.resume(callers, .disconnected)
        case .connected(let link, _):
            state = .idle
            return [.close(link), .endTurn]
        }
    }

    // MARK: - Events

    mutating func attemptSucceeded(_ link: Link) -> [Action] {
        switch state {
        case .connecting(let attempt, let callers):
            return connect(link, callers, attempts: attempt.number)
        case .givingUp(_, let callers) where callers.isEmpty:
            state = .idle
            return [.close(link), .endTurn]
        case .givingUp(let attempt, let callers):
            // Too late for the callers that have left, and in time for those that arrived since.
            return connect(link, callers, attempts: attempt)
        case .idle, .connected:
            // The attempt succeeded after it was abandoned: the link must not stay open.
            return [.close(link)]
        }
    }

    mutating func attemptFailed(_ error: RadioError, now: Instant) -> [Action] {
        switch state {
        case .connecting(var attempt, let callers):
            let number = attempt.number
            switch attempt.failed(error, now: now) {
            case .wait(let next, let isFirst):
                state = .connecting(attempt, callers: callers)
                return (isFirst ? [.reportWait(error)] : []) + [.attempt(at: next, turnBy: attempt.waitsUntil)]
            case .retry(let pause):
                return retry(attempt, callers, error, at: now + pause, after: pause)
            case .end:
                return end(callers, ConnectFailure(error: error, attempts: number))
            }
        case .givingUp(_, let callers):
            // The given-up attempt is over, and those that arrived since get one of their own.
            state = .idle
            return callers.isEmpty ? [.endTurn] : begin(callers, at: now)
        case .idle, .connected:
            return []
        }
    }

    mutating func linkEnded() -> [Action] {
        switch state {
        case .connected:
            state = .idle
            return [.endTurn]
        case .idle, .connecting, .givingUp:
            return []
        }
    }

    /// The link of an operation was lost, which is a failed attempt if the operation says so.
    ///
    /// Before the first packet of the device it is the last of the attempts that the link has taken. Later the link
    /// counts as established, and only the losses of this operation are counted.
    ///
    /// - Parameter isProven: Whether the device has sent anything on the link.
    func operationFailed(
        _ grant: Grant,
        _ error: RadioError,
        isProven: Bool,
        retrying losses: RetriedLosses
    ) -> Verdict {
        let isEstablishmentFailure = error.mayBeFailedEstablishment && !isProven
        switch losses {
        case .beforeFirstPacket where !isEstablishmentFailure: return .fail(error)
        case .beforeFirstPacket, .all: break
        }
        let losses = grant.claim.failures + 1
        // Before the first packet the attempts of the link count, too: it was never of use.
        let attempt = isProven ? losses : max(losses, grant.attempts)
        guard let pause = retries.pause(afterAttempt: attempt, failedWith: error) else {
            return .fail(isEstablishmentFailure ? ConnectFailure(error: error, attempts: attempt) : error)
        }
        var next = grant.claim
        next.failures = attempt
        return .repeat(next, attempt: attempt, pause: pause)
    }

    // MARK: - Transitions

    /// Begins an attempt. Its number continues the losses of the callers.
    private mutating func begin(_ callers: [Caller], at moment: Instant) -> [Action] {
        let failures = callers.map(\.claim.failures).max() ?? 0
        let attempt = ConnectionAttempt(retries: retries, waits: waits, at: moment, failures: failures)
        state = .connecting(attempt, callers: callers)
        return [.attempt(at: moment, turnBy: attempt.waitsUntil)]
    }

    /// A link is there: every caller gets it.
    private mutating func connect(_ link: Link, _ callers: [Caller], attempts: Int) -> [Action] {
        state = .connected(link, attempts: attempts)
        return callers.map { .resume($0.id, .success(Grant(link: link, claim: $0.claim, attempts: attempts))) }
    }

    /// An attempt has failed and may be followed by the next one: those that are repeated wait for it, and the others
    /// get the error.
    private mutating func retry(
        _ next: ConnectionAttempt,
        _ callers: [Caller],
        _ error: RadioError,
        at moment: Instant,
        after pause: Duration
    ) -> [Action] {
        let failed = next.number - 1
        let failure = ConnectFailure(error: error, attempts: failed)
        // An observation times its own recovery, so it gets the failure at once.
        let remaining = callers.filter(\.claim.isRetried)
        guard !remaining.isEmpty else { return end(callers, failure) }
        state = .connecting(next, callers: remaining)
        return [
            .reportRetry(attempt: failed, error, pause: pause), .attempt(at: moment, turnBy: next.waitsUntil),
        ] + Self.resume(callers.filter { !$0.claim.isRetried }, .failed(failure))
    }

    /// The last attempt has failed.
    private mutating func end(_ callers: [Caller], _ failure: ConnectFailure) -> [Action] {
        state = .idle
        return [.endTurn] + Self.resume(callers, .failed(failure))
    }

    private static func resume(_ callers: [Caller], _ failure: Failure) -> [Action] {
        callers.map { .resume($0.id, .failure(failure)) }
    }
}

extension ConnectionLifecycle.Failure: Equatable {}
extension ConnectionLifecycle.Grant: Equatable where Link: Equatable {}
extension ConnectionLifecycle.Action: Equatable where Link: Equatable {}

extension RadioError {
    /// Whether the loss of a link on which the device has sent nothing may be a failed attempt: the link was never
    /// established (the kernel has no errno for HCI 0x3E), or the device has hung up.
    fileprivate var mayBeFailedEstablishment: Bool {
        switch cause {
        case .linkLost(let status), .connectFailed(let status):
            status == nil || status == .connectionFailedToBeEstablished
        case .closedByPeer: true
        default: false
        }
    }
}

/// A connection could not be made.
public struct ConnectFailure: Error, Equatable, Sendable {
    /// Why the last attempt failed.
    public let error: RadioError
    /// How many attempts there were.
    public let attempts: Int

    package init(error: RadioError, attempts: Int) {
        self.error = error
        self.attempts = attempts
    }

    /// Why there is no link, and after how many attempts, in a person's words.
    public var reason: String { error.reason + (attempts > 1 ? " (\(attempts) attempts)" : "") }
}
