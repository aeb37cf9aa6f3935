// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@testable import BluetoothHost

@Suite("Backoff")
struct BackoffTests {
    private let backoff = Backoff(firstPause: .milliseconds(50), longestPause: .milliseconds(300))

    private func pauses(_ failures: ClosedRange<Int>, _ pause: (Int) -> Duration?) -> [Duration?] {
        failures.map(pause)
    }

    @Test("each pause is twice as long as the one before, up to the limit")
    func doubles() {
        #expect(
            pauses(1...5) { backoff.pause(afterFailure: $0) } == [
                .milliseconds(50), .milliseconds(100), .milliseconds(200), .milliseconds(300), .milliseconds(300),
            ]
        )
        // The number of a failure that has not occurred is not trapped on, and a long row of failures takes no time.
        #expect(backoff.pause(afterFailure: 0) == .milliseconds(50))
        #expect(backoff.pause(afterFailure: .max) == .milliseconds(300))
    }

    @Test("a first pause beyond the limit is the limit")
    func limited() {
        let backoff = Backoff(firstPause: .seconds(9), longestPause: .seconds(5))
        #expect(pauses(1...2) { backoff.pause(afterFailure: $0) } == [.seconds(5), .seconds(5)])
    }

    @Test("the policies use its pauses; a reconnection has no pause before its first attempt")
    func policies() {
        let error = RadioError(.connectFailed(nil), during: "test")
        let retries = RetryPolicy(retries: 9, firstPause: .milliseconds(50), longestPause: .milliseconds(300))
        let reconnection = Reconnection(firstPause: .milliseconds(50), longestPause: .milliseconds(300))
        let waits = WaitPolicy(
            timeout: .seconds(9),
            firstPause: .milliseconds(50),
            longestPause: .milliseconds(300)
        )
        let expected = pauses(1...5) { backoff.pause(afterFailure: $0) }
        #expect(pauses(1...5) { retries.pause(afterAttempt: $0, failedWith: error) } == expected)
        #expect(pauses(1...5) { reconnection.pause(afterAttempt: $0) } == expected)
        #expect(
            pauses(1...5) { refusal in
                waits.nextTry(afterRefusal: refusal, now: .zero, until: .zero + .seconds(9)).map { $0 - .zero }
            } == expected
        )
        #expect(reconnection.pause(afterAttempt: 0) == .zero)
        #expect(retries.pause(afterAttempt: 0, failedWith: error) == .milliseconds(50))
        // The last try is made at the end of the wait.
        #expect(waits.nextTry(afterRefusal: 5, now: .zero, until: .zero + .milliseconds(9)) == .zero + .milliseconds(9))
        #expect(waits.nextTry(afterRefusal: 1, now: .zero, until: .zero) == nil)
    }
}
