// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

/// The link to one device: who waits for it, what is being done about it, and when it is tried again.
///
/// There is one attempt at a time. An attempt that nobody waits for any more is given up; whoever comes before it has ended
/// waits for its end first, because a device, and the kernel, take one connection to it only. Every caller is told once.
///
/// The device is shared with other programs of the machine. An attempt begins with the turn at it, which is kept until no
/// link is wanted any more or the link has ended. Where somebody else is in the way, that is no failed attempt: it is made
/// again until the `WaitPolicy` ends the wait.
struct ConnectionLifecycle<Link: Sendable>: Sendable {
    /// Names a caller; whoever calls chooses the number, and uses each once.
    typealias CallerID = UInt64

    /// Why there is no link.
    enum Failure: Error, Sendable {
        /// The last attempt failed.
        case failed(ConnectFailure)
        /// The caller went away.
        case cancelled
        /// The link was not wanted any more.
        case disconnected
    }

    /// What is to be done after an event.
    enum Action: Sendable {
        /// Make an attempt, not before that moment; where we do not have the turn yet it may be waited for until `turnBy`.
        /// Its end is told by `attemptSucceeded` or `attemptFailed`.
        case attempt(at: Instant, turnBy: Instant)
        /// Cancel the attempt. Its end is told nevertheless.
        case giveUp
        /// Somebody else is in the way, and is waited for. Told once for each attempt.
        case reportWait(RadioError)
        /// An attempt failed, and another one follows after the pause.
        case reportRetry(attempt: Int, RadioError, pause: Duration)
        /// Tell a caller.
        case tell(CallerID, Result<Link, Failure>)
        /// Close a link.
        case close(Link)
        /// Let others have their turn.
        case endTurn
    }

    /// An attempt under way.
    private struct Attempt: Sendable {
        /// From 1.
        let number: Int
        /// When we stop waiting for those who are in the way.
        let waitsUntil: Instant
        /// How often somebody was in the way.
        var refusals = 0
    }

    private enum State: Sendable {
        case idle
        case connecting(Attempt, callers: [CallerID])
        /// The attempt was given up and is about to end. The callers came since.
        case givingUp(attempt: Int, callers: [CallerID])
        case connected(Link, attempts: Int)
    }

    private let retries: RetryPolicy
    private let waits: WaitPolicy
    private var state = State.idle

    /// There is no link, and nobody wants one.
    init(retries: RetryPolicy, waits: WaitPolicy = .none) {
        self.retries = retries
        self.waits = waits
    }

    /// The link that there is.
    var link: Link? {
        switch state {
        case .connected(let link, _): link
        case .idle, .connecting, .givingUp: nil
        }
    }

    /// How many attempts were made for the link that there is, or that is being made; 0 where there is none.
    var attempts: Int {
        switch state {
        case .idle: 0
        case .connecting(let attempt, _): attempt.number
        case .givingUp(let attempt, _): attempt
        case .connected(_, let attempts): attempts
        }
    }

    // MARK: - What the owner wants

    /// Somebody wants the link.
    mutating func wanted(by caller: CallerID, now: Instant) -> [Action] {
        switch state {
        case .idle:
            return begin([caller], at: now)
        case .connecting(let attempt, let callers):
            state = .connecting(attempt, callers: callers + [caller])
            return []
        case .givingUp(let attempt, let callers):
            state = .givingUp(attempt: attempt, callers: callers + [caller])
            return []
        case .connected(let link, _):
            return [.tell(caller, .success(link))]
        }
    }

    /// A caller does not want to wait any longer.
    mutating func callerLeft(_ caller: CallerID) -> [Action] {
        switch state {
        case .idle, .connected:
            return []
        case .connecting(let attempt, var callers):
            guard let index = callers.firstIndex(of: caller) else { return [] }
            callers.remove(at: index)
            state =
                callers.isEmpty
                ? .givingUp(attempt: attempt.number, callers: []) : .connecting(attempt, callers: callers)
            return [.tell(caller, .failure(.cancelled))] + (callers.isEmpty ? [.giveUp] : [])
        case .givingUp(let attempt, var callers):
            guard let index = callers.firstIndex(of: caller) else { return [] }
            callers.remove(at: index)
            state = .givingUp(attempt: attempt, callers: callers)
            return [.tell(caller, .failure(.cancelled))]
        }
    }

    /// No link is wanted.
    mutating func disconnect() -> [Action] {
        switch state {
        case .idle:
            return []
        case .connecting(let attempt, let callers):
            state = .givingUp(attempt: attempt.number, callers: [])
            return [.giveUp] + Self.tell(callers, .failure(.disconnected))
        case .givingUp(let attempt, let callers):
            state = .givingUp(attempt: attempt, callers: [])
            return Self.tell(callers, .failure(.disconnected))
        case .connected(let link, _):
            state = .idle
            return [.close(link), .endTurn]
        }
    }

    // MARK: - What happens

    /// The attempt has made a link.
    mutating func attemptSucceeded(_ link: Link) -> [Action] {
        switch state {
        case .connecting(let attempt, let callers):
            state = .connected(link, attempts: attempt.number)
            return Self.tell(callers, .success(link))
        case .givingUp(let attempt, let callers):
            // Too late for those who wanted it, and in time for those who came since.
            state = callers.isEmpty ? .idle : .connected(link, attempts: attempt)
            return callers.isEmpty ? [.close(link), .endTurn] : Self.tell(callers, .success(link))
        case .idle, .connected:
            return [.close(link)]
        }
    }

    /// The attempt has failed. Where it `isLast`, none follows, whatever the policy says; somebody who is in the way is
    /// waited for nevertheless.
    mutating func attemptFailed(_ error: RadioError, now: Instant, isLast: Bool = false) -> [Action] {
        switch state {
        case .connecting(var attempt, let callers):
            if error.isContention {
                attempt.refusals += 1
                let next = waits.nextTry(afterRefusal: attempt.refusals, now: now, until: attempt.waitsUntil)
                if let next {
                    state = .connecting(attempt, callers: callers)
                    let report: [Action] = attempt.refusals == 1 ? [.reportWait(error)] : []
                    return report + [.attempt(at: next, turnBy: attempt.waitsUntil)]
                }
            }
            guard !isLast, let pause = retries.pause(afterAttempt: attempt.number, failedWith: error) else {
                state = .idle
                let failure = ConnectFailure(error: error, attempts: attempt.number)
                return [.endTurn] + Self.tell(callers, .failure(.failed(failure)))
            }
            return [.reportRetry(attempt: attempt.number, error, pause: pause)]
                + begin(callers, at: now + pause, attempt: attempt.number + 1)
        case .givingUp(_, let callers):
            state = .idle
            return callers.isEmpty ? [.endTurn] : begin(callers, at: now)
        case .idle, .connected:
            return []
        }
    }

    /// The link that there was is no more.
    mutating func linkEnded() -> [Action] {
        switch state {
        case .connected:
            state = .idle
            return [.endTurn]
        case .idle, .connecting, .givingUp:
            return []
        }
    }

    private mutating func begin(_ callers: [CallerID], at moment: Instant, attempt number: Int = 1) -> [Action] {
        let attempt = Attempt(number: number, waitsUntil: moment + waits.patience)
        state = .connecting(attempt, callers: callers)
        return [.attempt(at: moment, turnBy: attempt.waitsUntil)]
    }

    private static func tell(_ callers: [CallerID], _ result: Result<Link, Failure>) -> [Action] {
        callers.map { .tell($0, result) }
    }
}

extension ConnectionLifecycle.Failure: Equatable {}
extension ConnectionLifecycle.Action: Equatable where Link: Equatable {}
