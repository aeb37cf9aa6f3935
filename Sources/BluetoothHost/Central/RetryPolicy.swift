// SPDX-License-Identifier: MIT

/// How often, and after which pauses, a connection is tried again. `ConnectionLifecycle` applies it.
///
/// A Bluetooth LE connection attempt fails every now and then because the first connection event was missed (HCI 0x3E).
/// The next attempt usually succeeds, which is why every user of gatttool wraps it in a loop.
public struct RetryPolicy: Sendable, Hashable {
    /// The number of attempts that may follow the first one.
    public var retries: Int
    /// The pause before the second attempt; each further pause is twice as long.
    public var firstPause: Duration
    /// The longest pause: doubling ends there.
    public var longestPause: Duration
    /// Whether an attempt that the device has not answered in time is followed by another one. It may take much longer
    /// than the pauses.
    public var retriesTimeouts: Bool

    /// Makes a policy.
    public init(
        retries: Int = 2,
        firstPause: Duration = .milliseconds(200),
        longestPause: Duration = .seconds(5),
        retriesTimeouts: Bool = false
    ) {
        self.retries = retries
        self.retriesTimeouts = retriesTimeouts
        self.firstPause = firstPause
        self.longestPause = longestPause
    }

    /// The pause after failed attempt number `attempt` (from 1); `nil` if it was the last one, or if another attempt
    /// cannot help.
    public func pause(afterAttempt attempt: Int, failedWith error: RadioError) -> Duration? {
        guard error.isTransient || retriesTimeouts && error.hasTakenAllTime, attempt <= retries else {
            return nil
        }
        return Backoff(firstPause: firstPause, longestPause: longestPause).pause(afterFailure: attempt)
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
