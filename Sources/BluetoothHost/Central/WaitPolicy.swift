// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

/// How long a link is waited for that another program of the machine has.
///
/// Programs that take turns wake each other. Others give no sign when they are done: the kernel is asked again after pauses.
public struct WaitPolicy: Sendable, Hashable {
    /// How long; zero: not at all.
    public var patience: Duration
    /// The pause after the first refusal; each further pause is twice as long.
    public var firstPause: Duration
    /// The longest pause.
    public var longestPause: Duration

    /// Makes a policy.
    public init(
        patience: Duration,
        firstPause: Duration = .milliseconds(50),
        longestPause: Duration = .milliseconds(500)
    ) {
        self.patience = patience
        self.firstPause = firstPause
        self.longestPause = longestPause
    }

    /// Whoever is in the way, nobody waits.
    public static let none = WaitPolicy(patience: .zero)

    /// The moment of the next try after refusal number `refusal` (from 1), or `nil` where the wait is over.
    func nextTry(afterRefusal refusal: Int, now: Instant, until end: Instant) -> Instant? {
        guard now < end else { return nil }
        var pause = firstPause
        for _ in 1..<max(1, refusal) {
            guard pause < longestPause else { break }
            pause = pause * 2
        }
        // The last try is made at the end, so that the wait is as long as it may be.
        return min(now + min(pause, longestPause), end)
    }
}
