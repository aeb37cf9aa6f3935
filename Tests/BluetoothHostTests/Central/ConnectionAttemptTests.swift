// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import Testing

@Suite("ConnectionAttempt")
struct ConnectionAttemptTests {
    private let transient = RadioError(.connectFailed(nil), during: "test")
    private let permanent = RadioError(.noAdapter, during: "test")
    private let late = RadioError(.connectTimedOut, during: "test")
    private let contention = RadioError(.initiatorBusy, during: "test")

    private func moment(_ milliseconds: Int) -> Instant { .zero + .milliseconds(milliseconds) }

    private func attempt(
        retries: Int = 2,
        retriesTimeouts: Bool = false,
        timeout: Duration = .milliseconds(300),
        at milliseconds: Int = 0,
        failures: Int = 0
    ) -> ConnectionAttempt {
        ConnectionAttempt(
            retries: RetryPolicy(retries: retries, retriesTimeouts: retriesTimeouts),
            waits: timeout,
            at: moment(milliseconds),
            failures: failures
        )
    }

    @Test("a transient failure is followed by the next attempt, until there are no more")
    func retries() {
        var attempt = attempt(at: 10)
        #expect(attempt.number == 1)
        #expect(attempt.waitsUntil == moment(310))
        #expect(attempt.failed(transient, now: moment(50)) == .retry(after: .milliseconds(200)))
        #expect(attempt.number == 2)
        // The wait of an attempt begins with the attempt, after the pause.
        #expect(attempt.waitsUntil == moment(550))
        #expect(attempt.failed(transient, now: moment(260)) == .retry(after: .milliseconds(400)))
        #expect(attempt.number == 3)
        #expect(attempt.failed(transient, now: moment(700)) == .end)
        #expect(attempt.number == 3)
    }

    @Test("a permanent failure ends the attempts; a timeout does too unless the policy allows a retry")
    func lasting() {
        var lasting = attempt()
        #expect(lasting.failed(permanent, now: .zero) == .end)
        var slow = attempt()
        #expect(slow.failed(late, now: .zero) == .end)
        var patient = attempt(retriesTimeouts: true)
        #expect(patient.failed(late, now: .zero) == .retry(after: .milliseconds(200)))
    }

    @Test("a device held by another program costs no attempt; the wait is reported once, and is limited")
    func waits() {
        var attempt = attempt()
        #expect(attempt.failed(contention, now: moment(0)) == .wait(until: moment(50), isFirst: true))
        #expect(attempt.failed(contention, now: moment(60)) == .wait(until: moment(160), isFirst: false))
        #expect(attempt.failed(contention, now: moment(170)) == .wait(until: moment(300), isFirst: false))
        #expect(attempt.number == 1)
        #expect(attempt.failed(contention, now: moment(300)) == .end)
        #expect(attempt.number == 1)
    }

    @Test("the next attempt has a wait of its own, which is reported again")
    func waitsAgain() {
        var attempt = attempt()
        #expect(attempt.failed(contention, now: moment(250)) == .wait(until: moment(300), isFirst: true))
        #expect(attempt.failed(transient, now: moment(320)) == .retry(after: .milliseconds(200)))
        #expect(attempt.waitsUntil == moment(820))
        #expect(attempt.failed(contention, now: moment(530)) == .wait(until: moment(580), isFirst: true))
        #expect(attempt.failed(contention, now: moment(590)) == .wait(until: moment(690), isFirst: false))
        #expect(attempt.number == 2)
    }

    @Test("without a timeout there is no wait for a link")
    func impatient() {
        var attempt = attempt(timeout: .zero)
        #expect(attempt.failed(contention, now: .zero) == .end)
    }

    @Test("earlier failures and those of other operations count")
    func counts() {
        var continued = attempt(retries: 2, failures: 1)
        #expect(continued.number == 2)
        continued.count(failures: 0)
        #expect(continued.number == 2)
        continued.count(failures: 2)
        #expect(continued.number == 3)
        #expect(continued.failed(transient, now: .zero) == .end)
        var last = attempt(retries: 2, failures: 1)
        #expect(last.failed(transient, now: .zero) == .retry(after: .milliseconds(400)))
        #expect(last.failed(transient, now: .zero) == .end)
    }
}
