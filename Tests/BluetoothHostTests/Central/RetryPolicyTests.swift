// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@testable import BluetoothHost

@Suite("RetryPolicy")
struct RetryPolicyTests {
    private let transient = RadioError(.connectFailed(nil), during: "test")

    @Test("pauses double up to the longest, and end with the last retry")
    func backOff() {
        let policy = RetryPolicy(retries: 6, firstPause: .milliseconds(200), longestPause: .seconds(2))
        let pauses = (1...7).map { policy.pause(afterAttempt: $0, failedWith: transient) }
        #expect(
            pauses == [
                .milliseconds(200), .milliseconds(400), .milliseconds(800), .milliseconds(1_600), .seconds(2),
                .seconds(2), nil,
            ]
        )
    }

    @Test("a permanent failure is not retried")
    func permanent() {
        let causes: [RadioError.Cause] = [
            .noKernelSupport, .noAdapter, .adapterDown, .permissionDenied(capability: "CAP_NET_RAW"), .connectTimedOut,
            .channelBusy(by: nil), .initiatorBusy, .tooManyConnections, .cancelled, .closedLocally,
            .authenticationFailed, .connectRefused(.commandDisallowed),
        ]
        for cause in causes {
            #expect(RetryPolicy().pause(afterAttempt: 1, failedWith: RadioError(cause, during: "test")) == nil)
        }
    }

    @Test("a timed-out attempt is retried if that is wanted")
    func timeouts() {
        let late = RadioError(.connectTimedOut, during: "test")
        #expect(RetryPolicy(retries: 2).pause(afterAttempt: 1, failedWith: late) == nil)
        let policy = RetryPolicy(retries: 2, retriesTimeouts: true)
        let pauses = (1...3).map { policy.pause(afterAttempt: $0, failedWith: late) }
        #expect(pauses == [.milliseconds(200), .milliseconds(400), nil])
        // It has lasted as long, for a reason that may pass as well.
        let refused = RadioError(.connectRefused(.commandDisallowed), during: "test")
        #expect(policy.pause(afterAttempt: 1, failedWith: refused) == .milliseconds(200))
        #expect(policy.pause(afterAttempt: 1, failedWith: RadioError(.noAdapter, during: "test")) == nil)
    }

    @Test("the number of failures is not trapped on, a long row takes no time, and no pause exceeds the longest")
    func extremes() {
        let policy = RetryPolicy(firstPause: .milliseconds(50), longestPause: .milliseconds(300))
        #expect(policy.pause(afterFailures: 0) == .zero)
        #expect(policy.pause(afterFailures: .max) == .milliseconds(300))
        let long = RetryPolicy(firstPause: .seconds(9), longestPause: .seconds(5))
        #expect((1...2).map(long.pause(afterFailures:)) == [.seconds(5), .seconds(5)])
    }

    @Test("a lasting link is made again after each failure that may pass, without an end")
    func unlimited() {
        let policy = RetryPolicy.unlimited()
        let errors: [any Error] = [transient, RadioError(.adapterDown, during: "test"), DeadlineExceeded("test")]
        for error in errors { #expect(policy.pause(afterAttempt: 1_000, failedWith: error) == .seconds(5)) }
        #expect(policy.pause(afterAttempt: 1, failedWith: RadioError(.noKernelSupport, during: "test")) == nil)
        #expect(policy.pause(afterAttempt: 1, failedWith: CancellationError()) == nil)
    }

    @Test("another program is asked again after pauses that double, and at the end of the wait")
    func refusals() {
        let end = Instant.zero + .seconds(9)
        let tries = (1...5).map { RetryPolicy.nextTry(afterRefusal: $0, now: .zero, until: end) }
        #expect(tries.map { $0.map { $0 - .zero } } == [50, 100, 200, 400, 500].map { .milliseconds($0) })
        #expect(
            RetryPolicy.nextTry(afterRefusal: 5, now: .zero, until: .zero + .milliseconds(9)) == .zero
                + .milliseconds(9)
        )
        #expect(RetryPolicy.nextTry(afterRefusal: 1, now: .zero, until: .zero) == nil)
    }

    @Test("no retries means one attempt")
    func none() {
        #expect(RetryPolicy(retries: 0).pause(afterAttempt: 1, failedWith: transient) == nil)
    }
}
