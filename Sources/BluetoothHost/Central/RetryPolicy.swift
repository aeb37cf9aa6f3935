// SPDX-License-Identifier: MIT

import Bluetooth

/// What is tried again, how often, and after which pauses: a failed attempt to connect, which `ConnectionAttempt`
/// repeats, or a link that observers have lost (`unlimited`), which `RecoverySchedule` makes again.
///
/// A Bluetooth LE connection attempt fails every now and then because the first connection event was missed (HCI 0x3E).
/// The next attempt usually succeeds, which is why every user of gatttool wraps it in a loop.
public struct RetryPolicy: Sendable, Hashable {
    /// The failures that another attempt may follow.
    public enum Failures: Hashable, Sendable {
        /// Those that usually do not recur.
        case transient
        /// Those, and a device that has not answered in time. That may take much longer than the pauses.
        case transientOrTimeout
        /// All but those that recur on each link. An adapter that is down, blocked or gone may come back.
        case passing
    }

    /// The failures that another attempt follows.
    public var failures: Failures
    /// The number of attempts that may follow the first one.
    public var retries: Int
    /// The pause before the second attempt; each further pause is twice as long.
    public var firstPause: Duration
    /// The longest pause: doubling ends there. A link that is lost again within that time counts as a failed attempt.
    public var longestPause: Duration

    /// Makes a policy for attempts to connect.
    public init(
        retries: Int = 2,
        firstPause: Duration = .milliseconds(200),
        longestPause: Duration = .seconds(5),
        retriesTimeouts: Bool = false
    ) {
        failures = retriesTimeouts ? .transientOrTimeout : .transient
        self.retries = retries
        self.firstPause = firstPause
        self.longestPause = longestPause
    }

    /// Tries again without limit, unless the failure would recur on each link: for a link that has to last.
    public static func unlimited(
        firstPause: Duration = .milliseconds(500),
        longestPause: Duration = .seconds(5)
    ) -> RetryPolicy {
        var policy = RetryPolicy(retries: .max, firstPause: firstPause, longestPause: longestPause)
        policy.failures = .passing
        return policy
    }

    /// The pause after failed attempt number `attempt` (from 1); `nil` if it was the last one, or if another attempt
    /// cannot help.
    public func pause(afterAttempt attempt: Int, failedWith error: any Error) -> Duration? {
        let mayHelp =
            switch failures {
            case .passing: !error.isLasting
            case .transient: (error as? RadioError)?.isTransient == true
            case .transientOrTimeout: (error as? RadioError).map { $0.isTransient || $0.hasTakenAllTime } == true
            }
        return mayHelp && attempt <= retries ? pause(afterFailures: attempt) : nil
    }

    /// The pause after so many failures in a row; none before the first.
    func pause(afterFailures count: Int) -> Duration {
        guard count > 0 else { return .zero }
        var pause = firstPause
        for _ in 1..<count {
            // Some fail without limit, and a duration that doubles for ever overflows.
            guard pause < longestPause else { break }
            pause = pause * 2
        }
        return min(pause, longestPause)
    }

    /// The moment of the next try after refusal number `refusal` (from 1) by another program of the machine that has
    /// what is asked for; `nil` if the wait is over.
    ///
    /// Programs that take turns wake each other. Other programs give no sign when they are done, so the kernel is asked
    /// again after pauses.
    static func nextTry(afterRefusal refusal: Int, now: Instant, until end: Instant) -> Instant? {
        guard now < end else { return nil }
        let pauses = RetryPolicy(firstPause: .milliseconds(50), longestPause: .milliseconds(500))
        // The last try is made at the end, so that the whole wait is used.
        return min(now + pauses.pause(afterFailures: refusal), end)
    }
}

extension RadioError {
    /// Whether an attempt to connect has lasted until its deadline.
    fileprivate var hasTakenAllTime: Bool {
        switch cause {
        case .connectTimedOut, .connectRefused: true
        default: false
        }
    }
}
