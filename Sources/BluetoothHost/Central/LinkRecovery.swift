// SPDX-License-Identifier: MIT

import Bluetooth

/// Restores a link that observers have lost: times the attempts, and decides which observers get which events.
///
/// A recovery begins with the loss of a link on which something was observed. Each attempt connects and switches all
/// values on again; after a failed attempt, the next one follows a pause. The recovery ends when the link is restored,
/// when another attempt would be hopeless, or when nothing is observed any more. There is one recovery at a time.
struct LinkRecovery: Sendable {
    typealias ObserverID = SubscriptionTable.ObserverID

    /// An attempt to restore the link. Events of an earlier attempt are ignored, because its cancellation takes time.
    struct Attempt: Hashable, Sendable {
        let recovery: Int
        /// The attempt within the recovery, from 1.
        let number: Int
    }

    enum Action: Sendable {
        case notify([ObserverID], ObservationEvent.Kind)
        /// Hold values of the next link back until `releaseValues`, and drop those that are held back now: values of a
        /// link that was not restored belong to the gap.
        case holdValues
        /// Pass on the values that are held back, and all later ones at once.
        case releaseValues
        /// At that moment ask `attemptDue`, and then restore the link. The result is `attemptSucceeded` or
        /// `attemptFailed`.
        case attempt(Attempt, at: Instant)
        /// Cancel the present attempt, or the pause before it. No result is needed.
        case cancelAttempt
    }

    private enum State: Sendable {
        /// The link is there, or not needed.
        case idle
        case pausing(Attempt, since: Instant)
        case attempting(Attempt, since: Instant)
    }

    /// The pauses; `nil` if lost links are not made again.
    private var schedule: RecoverySchedule?
    private var state = State.idle
    private var lastRecovery = 0

    /// No link was lost. Without a policy a loss is the end of the observations.
    init(policy: RetryPolicy?) {
        schedule = policy.map { RecoverySchedule($0) }
    }

    var isActive: Bool { current != nil }

    /// The attempt in progress or planned, and the time of the loss.
    private var current: (attempt: Attempt, since: Instant)? {
        switch state {
        case .idle: nil
        case .pausing(let attempt, let since), .attempting(let attempt, let since): (attempt, since)
        }
    }

    /// The link ended under these observers. During a recovery they know that already, and the present attempt fails
    /// without help.
    mutating func linkLost(_ error: RadioError, by observers: [ObserverID], now: Instant) -> [Action] {
        guard !isActive, !observers.isEmpty else { return [] }
        return lose(error, observers, now)
    }

    /// The device accepted the subscription of an observer on a link that ended before this was known. The observer
    /// does not have the event of the loss yet, even if a recovery is under way.
    mutating func linkLostUnnoticed(_ error: RadioError, by observer: ObserverID, now: Instant) -> [Action] {
        lose(error, [observer], now)
    }

    /// Reports a loss to observers, and begins a recovery unless one is under way.
    private mutating func lose(_ error: RadioError, _ observers: [ObserverID], _ now: Instant) -> [Action] {
        guard schedule != nil else { return [.notify(observers, .ended(error))] }
        let news = Action.notify(observers, .linkLost(error))
        // A second loss during a recovery is an event for its observer, and changes nothing else.
        guard !isActive, let pause = schedule?.linkLost(now: now) else { return [news] }
        lastRecovery += 1
        let attempt = Attempt(recovery: lastRecovery, number: 1)
        state = .pausing(attempt, since: now)
        return [news, .holdValues, .attempt(attempt, at: now + pause)]
    }

    /// The moment of an attempt has come. Returns whether it is to be made.
    mutating func attemptDue(_ attempt: Attempt) -> Bool {
        // An attempt of an earlier recovery, or one that was abandoned, is not made.
        guard case .pausing(attempt, let since) = state else { return false }
        state = .attempting(attempt, since: since)
        return true
    }

    /// Everything is switched on again for these observers.
    mutating func attemptSucceeded(_ attempt: Attempt, for observers: [ObserverID], now: Instant) -> [Action] {
        guard case .attempting(attempt, let since) = state else { return [] }
        state = .idle
        schedule?.attemptSucceeded(now: now)
        return [.notify(observers, .linkRestored(after: now - since, attempts: attempt.number)), .releaseValues]
    }

    /// The attempt failed: these observers still wait.
    mutating func attemptFailed(
        _ attempt: Attempt,
        _ error: any Error,
        for observers: [ObserverID],
        now: Instant
    ) -> [Action] {
        // It need not be due yet: an attempt that cannot be started fails during its pause.
        guard let current, current.attempt == attempt else { return [] }
        // The schedule knows which errors no attempt can mend.
        guard let pause = schedule?.attemptFailed(error) else {
            state = .idle
            return [.notify(observers, .ended(error)), .releaseValues]
        }
        let next = Attempt(recovery: attempt.recovery, number: attempt.number + 1)
        state = .pausing(next, since: current.since)
        return [
            .holdValues, .notify(observers, .reconnectionFailed(attempt: attempt.number, error, pause: pause)),
            .attempt(next, at: now + pause),
        ]
    }

    /// Nothing is observed any more, so the link is not needed.
    mutating func abandon() -> [Action] {
        guard isActive else { return [] }
        state = .idle
        return [.cancelAttempt, .releaseValues]
    }
}
