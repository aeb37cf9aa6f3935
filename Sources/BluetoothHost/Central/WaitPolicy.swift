// SPDX-License-Identifier: MIT

package import Bluetooth

/// How long to wait for a link that another program of the machine has.
///
/// Programs that take turns wake each other. Other programs give no sign when they are done, so the kernel is asked
/// again after pauses.
public struct WaitPolicy: Sendable, Hashable {
    /// The longest wait; zero refuses to wait.
    public var timeout: Duration
    /// The pause after the first refusal; each further pause is twice as long.
    public var firstPause: Duration
    /// The longest pause: doubling ends there.
    public var longestPause: Duration

    /// Makes a policy.
    public init(
        timeout: Duration,
        firstPause: Duration = .milliseconds(50),
        longestPause: Duration = .milliseconds(500)
    ) {
        self.timeout = timeout
        self.firstPause = firstPause
        self.longestPause = longestPause
    }

    /// Does not wait.
    public static let none = WaitPolicy(timeout: .zero)

    /// The moment of the next try after refusal number `refusal` (from 1); `nil` if the wait is over.
    package func nextTry(afterRefusal refusal: Int, now: Instant, until end: Instant) -> Instant? {
        guard now < end else { return nil }
        let pause = Backoff(firstPause: firstPause, longestPause: longestPause).pause(afterFailure: refusal)
        // The last try is made at the end, so that the whole wait is used.
        return min(now + pause, end)
    }
}
