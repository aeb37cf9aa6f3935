// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import Testing

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

    @Test("no retries means one attempt")
    func none() {
        #expect(RetryPolicy(retries: 0).pause(afterAttempt: 1, failedWith: transient) == nil)
    }
}
