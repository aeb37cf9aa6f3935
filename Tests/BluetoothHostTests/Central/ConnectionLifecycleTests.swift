// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import Testing

@testable import BluetoothHost

@Suite("ConnectionLifecycle")
struct ConnectionLifecycleTests {
    private typealias Machine = ConnectionLifecycle<String>
    private let transient = RadioError(.connectFailed(nil), during: "test")
    private let permanent = RadioError(.connectTimedOut, during: "test")

    private func machine(retries: Int = 2) -> Machine {
        Machine(retries: RetryPolicy(retries: retries, firstPause: .milliseconds(200)))
    }

    private func moment(_ milliseconds: Int) -> Instant { .zero + .milliseconds(milliseconds) }

    private func failed(_ error: RadioError, after attempts: Int) -> Result<String, Machine.Failure> {
        .failure(.failed(ConnectFailure(error: error, attempts: attempts)))
    }

    @Test("callers share one attempt, and are told once, in the order of their coming")
    func shares() {
        var machine = machine()
        #expect(machine.attempts == 0)
        #expect(machine.wanted(by: 1, now: moment(5)) == [.attempt(at: moment(5))])
        #expect(machine.wanted(by: 2, now: moment(6)) == [])
        #expect(machine.link == nil)
        #expect(machine.attempts == 1)
        #expect(machine.attemptSucceeded("link") == [.tell(1, .success("link")), .tell(2, .success("link"))])
        #expect(machine.link == "link")
        #expect(machine.wanted(by: 3, now: moment(7)) == [.tell(3, .success("link"))])
        #expect(machine.callerLeft(1) == [])
    }

    @Test("a transient failure is followed by another attempt after a pause; those who come meanwhile join")
    func retries() {
        var machine = machine(retries: 2)
        _ = machine.wanted(by: 1, now: .zero)
        #expect(
            machine.attemptFailed(transient, now: moment(50)) == [
                .reportRetry(attempt: 1, transient, pause: .milliseconds(200)), .attempt(at: moment(250)),
            ]
        )
        #expect(machine.wanted(by: 2, now: moment(100)) == [])
        #expect(machine.attempts == 2)
        #expect(
            machine.attemptFailed(transient, now: moment(300)) == [
                .reportRetry(attempt: 2, transient, pause: .milliseconds(400)), .attempt(at: moment(700)),
            ]
        )
        #expect(
            machine.attemptFailed(transient, now: moment(750)) == [
                .tell(1, failed(transient, after: 3)), .tell(2, failed(transient, after: 3)),
            ]
        )
        #expect(machine.attempts == 0)
        // The next one begins anew.
        #expect(machine.wanted(by: 3, now: moment(800)) == [.attempt(at: moment(800))])
        #expect(machine.attempts == 1)
    }

    @Test("a permanent failure is the end")
    func fails() {
        var machine = machine()
        _ = machine.wanted(by: 1, now: .zero)
        #expect(machine.attemptFailed(permanent, now: .zero) == [.tell(1, failed(permanent, after: 1))])
    }

    @Test("the attempt goes on as long as somebody waits, and is given up with the last")
    func leaves() {
        var machine = machine()
        _ = machine.wanted(by: 1, now: .zero)
        _ = machine.wanted(by: 2, now: .zero)
        #expect(machine.callerLeft(1) == [.tell(1, .failure(.cancelled))])
        #expect(machine.callerLeft(1) == [])
        #expect(machine.callerLeft(2) == [.tell(2, .failure(.cancelled)), .giveUp])
        // Its end is nobody's business, and it is not tried again.
        #expect(machine.attemptFailed(transient, now: .zero) == [])
        #expect(machine.wanted(by: 3, now: .zero) == [.attempt(at: .zero)])
    }

    @Test("a link that comes of an attempt that was given up is closed")
    func tooLate() {
        var machine = machine()
        _ = machine.wanted(by: 1, now: .zero)
        _ = machine.callerLeft(1)
        #expect(machine.attemptSucceeded("late") == [.close("late")])
        #expect(machine.link == nil)
    }

    @Test("whoever comes while an attempt is being given up waits for its end, then for another attempt")
    func comesWhileGivingUp() {
        var machine = machine()
        _ = machine.wanted(by: 1, now: .zero)
        _ = machine.callerLeft(1)
        #expect(machine.wanted(by: 2, now: .zero) == [])
        #expect(machine.wanted(by: 3, now: .zero) == [])
        #expect(machine.callerLeft(3) == [.tell(3, .failure(.cancelled))])
        #expect(
            machine.attemptFailed(RadioError(.cancelled, during: "test"), now: moment(9)) == [.attempt(at: moment(9))]
        )
        #expect(machine.attemptSucceeded("link") == [.tell(2, .success("link"))])
    }

    @Test("whoever comes while an attempt is being given up gets the link that comes of it after all")
    func comesInTime() {
        var machine = machine()
        _ = machine.wanted(by: 1, now: .zero)
        _ = machine.callerLeft(1)
        _ = machine.wanted(by: 2, now: .zero)
        #expect(machine.attemptSucceeded("link") == [.tell(2, .success("link"))])
        #expect(machine.link == "link")
    }

    @Test("disconnecting closes the link, or gives up the attempt and tells those who wait")
    func disconnects() {
        var machine = machine()
        #expect(machine.disconnect() == [])
        _ = machine.wanted(by: 1, now: .zero)
        _ = machine.wanted(by: 2, now: .zero)
        #expect(
            machine.disconnect() == [
                .giveUp, .tell(1, .failure(.disconnected)), .tell(2, .failure(.disconnected)),
            ]
        )
        _ = machine.wanted(by: 3, now: .zero)
        #expect(machine.disconnect() == [.tell(3, .failure(.disconnected))])
        #expect(machine.attemptFailed(permanent, now: .zero) == [])
        _ = machine.wanted(by: 4, now: .zero)
        _ = machine.attemptSucceeded("link")
        #expect(machine.disconnect() == [.close("link")])
        #expect(machine.link == nil)
    }

    @Test("after the link has ended it is made anew")
    func reconnects() {
        var machine = machine()
        machine.linkEnded()
        _ = machine.wanted(by: 1, now: .zero)
        machine.linkEnded()
        _ = machine.attemptSucceeded("first")
        machine.linkEnded()
        #expect(machine.link == nil)
        #expect(machine.wanted(by: 2, now: moment(3)) == [.attempt(at: moment(3))])
    }
}
