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

    /// Without patience the turn is not waited for.
    private func attempt(at moment: Instant) -> Machine.Action { .attempt(at: moment, turnBy: moment) }

    private func moment(_ milliseconds: Int) -> Instant { .zero + .milliseconds(milliseconds) }

    private func failed(_ error: RadioError, after attempts: Int) -> Result<String, Machine.Failure> {
        .failure(.failed(ConnectFailure(error: error, attempts: attempts)))
    }

    @Test("callers share one attempt, and are told once, in the order of their coming")
    func shares() {
        var machine = machine()
        #expect(machine.attempts == 0)
        #expect(machine.wanted(by: 1, now: moment(5)) == [attempt(at: moment(5))])
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
                .reportRetry(attempt: 1, transient, pause: .milliseconds(200)), attempt(at: moment(250)),
            ]
        )
        #expect(machine.wanted(by: 2, now: moment(100)) == [])
        #expect(machine.attempts == 2)
        #expect(
            machine.attemptFailed(transient, now: moment(300)) == [
                .reportRetry(attempt: 2, transient, pause: .milliseconds(400)), attempt(at: moment(700)),
            ]
        )
        #expect(
            machine.attemptFailed(transient, now: moment(750)) == [
                .endTurn, .tell(1, failed(transient, after: 3)), .tell(2, failed(transient, after: 3)),
            ]
        )
        #expect(machine.attempts == 0)
        // The next one begins anew.
        #expect(machine.wanted(by: 3, now: moment(800)) == [attempt(at: moment(800))])
        #expect(machine.attempts == 1)
    }

    @Test("a permanent failure is the end")
    func fails() {
        var machine = machine()
        _ = machine.wanted(by: 1, now: .zero)
        #expect(machine.attemptFailed(permanent, now: .zero) == [.endTurn, .tell(1, failed(permanent, after: 1))])
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
        #expect(machine.attemptFailed(transient, now: .zero) == [.endTurn])
        #expect(machine.wanted(by: 3, now: .zero) == [attempt(at: .zero)])
    }

    @Test("a link that comes of an attempt that was given up is closed")
    func tooLate() {
        var machine = machine()
        _ = machine.wanted(by: 1, now: .zero)
        _ = machine.callerLeft(1)
        #expect(machine.attemptSucceeded("late") == [.close("late"), .endTurn])
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
            machine.attemptFailed(RadioError(.cancelled, during: "test"), now: moment(9)) == [attempt(at: moment(9))]
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
        #expect(machine.attemptFailed(permanent, now: .zero) == [.endTurn])
        _ = machine.wanted(by: 4, now: .zero)
        _ = machine.attemptSucceeded("link")
        #expect(machine.disconnect() == [.close("link"), .endTurn])
        #expect(machine.link == nil)
    }

    @Test("after the link has ended it is made anew")
    func reconnects() {
        var machine = machine()
        #expect(machine.linkEnded() == [])
        _ = machine.wanted(by: 1, now: .zero)
        #expect(machine.linkEnded() == [])
        _ = machine.attemptSucceeded("first")
        #expect(machine.linkEnded() == [.endTurn])
        #expect(machine.link == nil)
        #expect(machine.wanted(by: 2, now: moment(3)) == [attempt(at: moment(3))])
    }

    // MARK: - Others who have the device

    private let busy = RadioError(.channelBusy(by: nil), during: "test")

    private func patient(_ patience: Duration) -> Machine {
        let waits = WaitPolicy(patience: patience, firstPause: .milliseconds(100), longestPause: .milliseconds(300))
        return Machine(retries: RetryPolicy(retries: 1, firstPause: .milliseconds(200)), waits: waits)
    }

    @Test("somebody who is in the way is waited for, with pauses that grow, told once, and without using up attempts")
    func waits() {
        var machine = patient(.seconds(1))
        let end = moment(1_005)
        #expect(machine.wanted(by: 1, now: moment(5)) == [.attempt(at: moment(5), turnBy: end)])
        #expect(
            machine.attemptFailed(busy, now: moment(10)) == [
                .reportWait(busy), .attempt(at: moment(110), turnBy: end),
            ]
        )
        #expect(machine.attemptFailed(busy, now: moment(120)) == [.attempt(at: moment(320), turnBy: end)])
        #expect(machine.attemptFailed(busy, now: moment(400)) == [.attempt(at: moment(700), turnBy: end)])
        #expect(machine.attempts == 1)
        #expect(machine.attemptSucceeded("link") == [.tell(1, .success("link"))])
        #expect(machine.attempts == 1)
    }

    @Test("the wait ends in time, with a last try at its end; who is in the way is no reason for another attempt")
    func patienceEnds() {
        var machine = patient(.milliseconds(250))
        _ = machine.wanted(by: 1, now: .zero)
        _ = machine.attemptFailed(busy, now: .zero)
        #expect(machine.attemptFailed(busy, now: moment(100)) == [.attempt(at: moment(250), turnBy: moment(250))])
        #expect(machine.attemptFailed(busy, now: moment(250)) == [.endTurn, .tell(1, failed(busy, after: 1))])
    }

    @Test("who does not want to wait is told at once")
    func noWait() {
        var machine = machine()
        _ = machine.wanted(by: 1, now: .zero)
        #expect(machine.attemptFailed(busy, now: .zero) == [.endTurn, .tell(1, failed(busy, after: 1))])
    }

    @Test("the patience for others begins anew with each attempt; also the last one waits")
    func waitsInEachAttempt() {
        var machine = patient(.seconds(1))
        _ = machine.wanted(by: 1, now: .zero)
        _ = machine.attemptFailed(busy, now: moment(900))
        #expect(
            machine.attemptFailed(transient, now: moment(1_500)) == [
                .reportRetry(attempt: 1, transient, pause: .milliseconds(200)),
                .attempt(at: moment(1_700), turnBy: moment(2_700)),
            ]
        )
        #expect(
            machine.attemptFailed(busy, now: moment(1_800), isLast: true) == [
                .reportWait(busy), .attempt(at: moment(1_900), turnBy: moment(2_700)),
            ]
        )
        #expect(
            machine.attemptFailed(transient, now: moment(2_000), isLast: true) == [
                .endTurn, .tell(1, failed(transient, after: 2)),
            ]
        )
    }

    @Test("who leaves while others are in the way ends the wait")
    func leavesWhileWaiting() {
        var machine = patient(.seconds(1))
        _ = machine.wanted(by: 1, now: .zero)
        _ = machine.attemptFailed(busy, now: .zero)
        #expect(machine.callerLeft(1) == [.tell(1, .failure(.cancelled)), .giveUp])
        #expect(machine.attemptFailed(busy, now: moment(50)) == [.endTurn])
    }
}
