// SPDX-License-Identifier: MIT

package import Bluetooth

/// Decides when a lost link is restored: the pause before each attempt, and whether another attempt can succeed.
///
/// `LinkRecovery` uses it for the subscriptions of observers, and `LinkKeeper` for the link alone.
package struct RecoverySchedule: Sendable {
    private let policy: RetryPolicy
    /// The number of the present or next attempt since the last loss, from 1.
    private(set) var attempt = 1
    /// When the link was last made again; `nil` if it is the first one.
    private var restoredAt: Instant?
    /// The number of links in succession that were made again and soon lost.
    private var lossesInARow = 0

    package init(_ policy: RetryPolicy) {
        self.policy = policy
    }

    /// The link was lost. Returns the pause before the first attempt.
    package mutating func linkLost(now: Instant) -> Duration {
        // A link that did not last counts as a failed attempt: it is not made again without a pause.
        let hasLasted = restoredAt.map { now - $0 >= policy.longestPause } ?? true
        lossesInARow = hasLasted ? 0 : lossesInARow + 1
        attempt = 1
        return policy.pause(afterFailures: lossesInARow)
    }

    /// The present attempt failed. Returns the pause before the next one; `nil` if no further attempt can succeed.
    package mutating func attemptFailed(_ error: any Error) -> Duration? {
        guard let pause = policy.pause(afterAttempt: attempt, failedWith: error) else { return nil }
        attempt += 1
        return pause
    }

    /// The link is up again.
    package mutating func attemptSucceeded(now: Instant) { restoredAt = now }
}
