// SPDX-License-Identifier: MIT

package import Bluetooth

/// The attempts to make one link. Decides after each failure whether another attempt follows, and when; it does no I/O.
///
/// While another program holds the device, the device has not failed: the attempt is repeated with the same number,
/// until the wait ends. Any other failure counts, and the `RetryPolicy` decides about the next attempt, which has a wait
/// of its own.
package struct ConnectionAttempt: Sendable {
    package enum Next: Hashable, Sendable {
        /// The same attempt again, at that moment, because another program holds the device.
        ///
        /// `isFirst` is true once for each attempt: the wait has to be reported then.
        case wait(until: Instant, isFirst: Bool)
        case retry(after: Duration)
        case end
    }

    package private(set) var number: Int
    /// When the wait for other programs ends.
    package private(set) var waitsUntil: Instant
    /// How often the present attempt was refused because another program held the device.
    private var refusals = 0
    private let retries: RetryPolicy
    private let waits: Duration

    /// The first attempt begins.
    ///
    /// - Parameters:
    ///   - waits: How long another program that has the device is waited for.
    ///   - failures: The failed attempts that count from before.
    package init(retries: RetryPolicy, waits: Duration, at moment: Instant, failures: Int = 0) {
        self.retries = retries
        self.waits = waits
        number = failures + 1
        waitsUntil = moment + waits
    }

    /// Failed attempts from elsewhere count, too. It never makes the number smaller.
    package mutating func count(failures: Int) {
        number = max(number, failures + 1)
    }

    package mutating func failed(_ error: RadioError, now: Instant) -> Next {
        if error.isContention {
            refusals += 1
            if let next = RetryPolicy.nextTry(afterRefusal: refusals, now: now, until: waitsUntil) {
                return .wait(until: next, isFirst: refusals == 1)
            }
        }
        guard let pause = retries.pause(afterAttempt: number, failedWith: error) else { return .end }
        number += 1
        refusals = 0
        // The wait for other programs begins after the pause, in which this one does not ask for the device.
        waitsUntil = now + pause + waits
        return .retry(after: pause)
    }
}
