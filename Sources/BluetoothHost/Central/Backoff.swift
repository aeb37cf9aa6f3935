// SPDX-License-Identifier: MIT

/// Pauses that grow: each is twice as long as the one before it, up to a limit.
struct Backoff: Sendable, Hashable {
    /// The pause after the first failure.
    let firstPause: Duration
    /// The longest pause: doubling ends there.
    let longestPause: Duration

    /// The pause after failure number `failure` (from 1).
    func pause(afterFailure failure: Int) -> Duration {
        var pause = firstPause
        for _ in 1..<max(1, failure) {
            // A reconnection fails without limit, and a duration that doubles for ever overflows.
            guard pause < longestPause else { break }
            pause = pause * 2
        }
        return min(pause, longestPause)
    }
}
