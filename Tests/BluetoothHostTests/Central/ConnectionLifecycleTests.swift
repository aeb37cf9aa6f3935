// SPDX-License-Identifier: MIT

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

    /// Without a timeout the turn is not waited for.
    private func attempt(at moment: Instant) -> Machine.Action { .attempt(at: moment, turnBy: moment) }

    private func moment(_ milliseconds: Int) -> Instant { .zero + .milliseconds(milliseconds) }

    private func failed(_ error: RadioError, after attempts: Int) -> Result<Machine.Grant, Machine.Failure> {
        .failure(.failed(ConnectFailure(error: error, attempts: attempts)))
    }

    /// A caller gets a link to which it has a fresh claim.
    private func granted(_ caller: Machine.CallerID, _ link: String, attempts: Int = 1) -> Machine.Action {
        .resume(caller, .success(Machine.Grant(link: link, claim: machine().claim(), attempts: attempts)))
    }

    @Test("callers share one attempt, and are resumed once, in the order of arrival")
    func shares() {
        var machine = machine()
        #expect(machine.attempts == 0)
        #expect(machine.wanted(by: 1, now: moment(5)) == [attempt(at: moment(5))])
        #expect(machine.wanted(by: 2, now: moment(6)) == [])
        #expect(machine.link == nil)
        #expect(machine.attempts == 1)
        #expect(machine.attemptSucceeded("link") == [granted(1, "link"), granted(2, "link")])
        #expect(machine.link == "link")
        #expect(machine.wanted(by: 3, now: moment(7)) == [granted(3, "link")])
        #expect(machine.callerLeft(1) == [])
    }

    @Test("a transient failure is followed by another attempt after a pause; callers that arrive meanwhile join")
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
                .endTurn, .resume(1, failed(transient, after: 3)), .resume(2, failed(transient, after: 3)),
            ]
        )
        #expect(machine.attempts == 0)
        // The next one starts its own count.
        #expect(machine.wanted(by: 3, now: moment(800)) == [attempt(at: moment(800))])
        #expect(machine.attempts == 1)
    }

    @Test("a permanent failure is the end")
    func fails() {
        var machine = machine()
        _ = machine.wanted(by: 1, now: .zero)
        #expect(machine.attemptFailed(permanent, now: .zero) == [.endTurn, .resume(1, failed(permanent, after: 1))])
    }

    @Test("the attempt goes on while a caller waits, and ends with the last one")
    func leaves() {
        var machine = machine()
        _ = machine.wanted(by: 1, now: .zero)
        _ = machine.wanted(by: 2, now: .zero)
        #expect(machine.callerLeft(1) == [.resume(1, .failure(.cancelled))])
        #expect(machine.callerLeft(1) == [])
        #expect(machine.callerLeft(2) == [.resume(2, .failure(.cancelled)), .giveUp])
        // Its end concerns no caller, and it is not repeated.
        #expect(machine.attemptFailed(transient, now: .zero) == [.endTurn])
        #expect(machine.wanted(by: 3, now: .zero) == [attempt(at: .zero)])
    }

    @Test("a link that an abandoned attempt still makes is closed")
    func tooLate() {
        var machine = machine()
        _ = machine.wanted(by: 1, now: .zero)
        _ = machine.callerLeft(1)
        #expect(machine.attemptSucceeded("late") == [.close("late"), .endTurn])
        #expect(machine.link == nil)
    }

    @Test("a caller that arrives while an attempt is abandoned waits for its end, then for another attempt")
    func comesWhileGivingUp() {
        var machine = machine()
        _ = machine.wanted(by: 1, now: .zero)
        _ = machine.callerLeft(1)
        #expect(machine.wanted(by: 2, now: .zero) == [])
        #expect(machine.wanted(by: 3, now: .zero) == [])
        #expect(machine.callerLeft(3) == [.resume(3, .failure(.cancelled))])
        #expect(
            machine.attemptFailed(RadioError(.cancelled, during: "test"), now: moment(9)) == [attempt(at: moment(9))]
        )
        #expect(machine.attemptSucceeded("link") == [granted(2, "link")])
    }

    @Test("a caller that arrives while an attempt is abandoned gets its link if it succeeds after all")
    func comesInTime() {
        var machine = machine()
        _ = machine.wanted(by: 1, now: .zero)
        _ = machine.callerLeft(1)
        _ = machine.wanted(by: 2, now: .zero)
        #expect(machine.attemptSucceeded("link") == [granted(2, "link")])
        #expect(machine.link == "link")
    }

    @Test("disconnecting closes the link, or abandons the attempt and resumes its callers")
    func disconnects() {
        var machine = machine()
        #expect(machine.disconnect() == [])
        _ = machine.wanted(by: 1, now: .zero)
        _ = machine.wanted(by: 2, now: .zero)
        #expect(
            machine.disconnect() == [
                .giveUp, .resume(1, .failure(.disconnected)), .resume(2, .failure(.disconnected)),
            ]
        )
        _ = machine.wanted(by: 3, now: .zero)
        #expect(machine.disconnect() == [.resume(3, .failure(.disconnected))])
        #expect(machine.attemptFailed(permanent, now: .zero) == [.endTurn])
        _ = machine.wanted(by: 4, now: .zero)
        _ = machine.attemptSucceeded("link")
        #expect(machine.disconnect() == [.close("link"), .endTurn])
        #expect(machine.link == nil)
    }

    @Test("a new link is made after the previous one has ended")
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

    // MARK: - Other programs

    private let busy = RadioError(.channelBusy(by: nil), during: "test")

    private func waiting(_ timeout: Duration) -> Machine {
        Machine(retries: RetryPolicy(retries: 1, firstPause: .milliseconds(200)), waits: timeout)
    }

    @Test("the wait for another program has growing pauses, is reported once, and uses up no attempts")
    func waits() {
        var machine = waiting(.seconds(1))
        let end = moment(1_005)
        #expect(machine.wanted(by: 1, now: moment(5)) == [.attempt(at: moment(5), turnBy: end)])
        #expect(
            machine.attemptFailed(busy, now: moment(10)) == [
                .reportWait(busy), .attempt(at: moment(60), turnBy: end),
            ]
        )
        #expect(machine.attemptFailed(busy, now: moment(120)) == [.attempt(at: moment(220), turnBy: end)])
        #expect(machine.attemptFailed(busy, now: moment(400)) == [.attempt(at: moment(600), turnBy: end)])
        #expect(machine.attempts == 1)
        #expect(machine.attemptSucceeded("link") == [granted(1, "link")])
        #expect(machine.attempts == 1)
    }

    @Test("the wait ends with a last try at its time limit, which causes no further attempt")
    func waitTimesOut() {
        var machine = waiting(.milliseconds(180))
        _ = machine.wanted(by: 1, now: .zero)
        _ = machine.attemptFailed(busy, now: .zero)
        #expect(machine.attemptFailed(busy, now: moment(100)) == [.attempt(at: moment(180), turnBy: moment(180))])
        #expect(machine.attemptFailed(busy, now: moment(180)) == [.endTurn, .resume(1, failed(busy, after: 1))])
    }

    @Test("a caller that does not wait fails at once")
    func noWait() {
        var machine = machine()
        _ = machine.wanted(by: 1, now: .zero)
        #expect(machine.attemptFailed(busy, now: .zero) == [.endTurn, .resume(1, failed(busy, after: 1))])
    }

    @Test("each attempt has its own wait for other programs")
    func waitsInEachAttempt() {
        var machine = waiting(.seconds(1))
        _ = machine.wanted(by: 1, now: .zero)
        _ = machine.attemptFailed(busy, now: moment(900))
        #expect(
            machine.attemptFailed(transient, now: moment(1_500)) == [
                .reportRetry(attempt: 1, transient, pause: .milliseconds(200)),
                .attempt(at: moment(1_700), turnBy: moment(2_700)),
            ]
        )
        #expect(
            machine.attemptFailed(busy, now: moment(1_800)) == [
                .reportWait(busy), .attempt(at: moment(1_850), turnBy: moment(2_700)),
            ]
        )
        #expect(
            machine.attemptFailed(transient, now: moment(2_000)) == [.endTurn, .resume(1, failed(transient, after: 2))]
        )
    }

    @Test("the wait for other programs ends when the last caller leaves")
    func leavesWhileWaiting() {
        var machine = waiting(.seconds(1))
        _ = machine.wanted(by: 1, now: .zero)
        _ = machine.attemptFailed(busy, now: .zero)
        #expect(machine.callerLeft(1) == [.resume(1, .failure(.cancelled)), .giveUp])
        #expect(machine.attemptFailed(busy, now: moment(50)) == [.endTurn])
    }

    // MARK: - One policy for all that is tried again

    @Test("a caller without retries gets the first failure while others go on, but waits for another program")
    func withoutRetries() {
        var machine = machine(retries: 1)
        _ = machine.wanted(by: 1, machine.claim(isRetried: false), now: .zero)
        _ = machine.wanted(by: 2, now: .zero)
        #expect(
            machine.attemptFailed(transient, now: .zero) == [
                .reportRetry(attempt: 1, transient, pause: .milliseconds(200)), attempt(at: moment(200)),
                .resume(1, failed(transient, after: 1)),
            ]
        )
        // Another one that joins meanwhile gets the failure of that attempt.
        _ = machine.wanted(by: 3, machine.claim(isRetried: false), now: moment(100))
        #expect(
            machine.attemptFailed(transient, now: moment(300)) == [
                .endTurn, .resume(2, failed(transient, after: 2)), .resume(3, failed(transient, after: 2)),
            ]
        )
        var alone = waiting(.seconds(1))
        _ = alone.wanted(by: 1, alone.claim(isRetried: false), now: .zero)
        #expect(
            alone.attemptFailed(busy, now: .zero) == [
                .reportWait(busy), .attempt(at: moment(50), turnBy: moment(1_000)),
            ]
        )
        #expect(
            alone.attemptFailed(transient, now: moment(200)) == [.endTurn, .resume(1, failed(transient, after: 1))]
        )
    }

    private let lost = RadioError(.linkLost(nil), during: "test")
    private let timedOut = RadioError(.linkLost(.connectionTimeout), during: "test")

    /// A link that has taken so many attempts, for caller 1.
    private func connected(_ machine: inout Machine, attempts: Int = 1) -> Machine.Grant {
        var actions = machine.wanted(by: 1, now: .zero)
        for _ in 1..<attempts { actions = machine.attemptFailed(transient, now: .zero) }
        actions = machine.attemptSucceeded("link")
        guard case .resume(1, .success(let grant))? = actions.first else {
            Issue.record("\(actions)")
            return Machine.Grant(link: "none", claim: machine.claim(), attempts: 0)
        }
        return grant
    }

    /// What becomes of an operation, in a few words, and the claim by which it is repeated.
    private func outcome(_ verdict: Machine.Verdict) -> (text: String, claim: Machine.Claim?) {
        switch verdict {
        case .repeat(let claim, let attempt, let pause): ("\(attempt) failed, again after \(pause)", claim)
        case .fail(let error as ConnectFailure): ("\(error.error.cause) after \(error.attempts) attempts", nil)
        case .fail(let error as RadioError): ("\(error.cause)", nil)
        case .fail(let error): ("\(error)", nil)
        }
    }

    @Test("failed attempts and losses before the first packet share one counter")
    func neverStood() throws {
        var machine = machine(retries: 2)
        let grant = connected(&machine, attempts: 2)
        let first = outcome(machine.operationFailed(grant, lost, isProven: false, retrying: .beforeFirstPacket))
        #expect(first.text == "2 failed, again after 0.4 seconds")
        #expect(machine.linkEnded() == [.endTurn])
        _ = machine.wanted(by: 2, try #require(first.claim), now: moment(400))
        #expect(machine.attempts == 3)
        guard case .resume(2, .success(let next))? = machine.attemptSucceeded("next").first else {
            return #expect(Bool(false), "there is no link")
        }
        let second = outcome(machine.operationFailed(next, lost, isProven: false, retrying: .beforeFirstPacket))
        #expect(second.text == "linkLost(nil) after 3 attempts")
        // Another operation starts its own count.
        _ = machine.linkEnded()
        _ = machine.wanted(by: 3, now: moment(500))
        #expect(machine.attempts == 1)
    }

    @Test("a repeated operation that fails to connect gets no extra attempts")
    func repeatedFails() throws {
        var machine = machine(retries: 1)
        let grant = connected(&machine)
        let claim = outcome(machine.operationFailed(grant, lost, isProven: false, retrying: .beforeFirstPacket)).claim
        _ = machine.linkEnded()
        _ = machine.wanted(by: 2, try #require(claim), now: .zero)
        #expect(machine.attemptFailed(transient, now: .zero) == [.endTurn, .resume(2, failed(transient, after: 2))])
    }

    @Test("a loss after the first packet, or one that proves the device was there, fails the operation")
    func stood() {
        var machine = machine(retries: 2)
        let grant = connected(&machine)
        for (error, isProven) in [(lost, true), (timedOut, false), (permanent, false)] {
            let verdict = machine.operationFailed(grant, error, isProven: isProven, retrying: .beforeFirstPacket)
            #expect(outcome(verdict).text == "\(error.cause)")
        }
    }

    @Test("an operation that accepts losses is repeated after the first packet too, within the policy")
    func acceptsLosses() throws {
        var machine = machine(retries: 2)
        var grant = connected(&machine, attempts: 3)
        // The link was established, however many attempts that took.
        for (attempt, pause) in [(1, 0.2), (2, 0.4)] {
            let verdict = outcome(machine.operationFailed(grant, timedOut, isProven: true, retrying: .all))
            #expect(verdict.text == "\(attempt) failed, again after \(pause) seconds")
            _ = machine.linkEnded()
            let caller = Machine.CallerID(attempt + 1)
            _ = machine.wanted(by: caller, try #require(verdict.claim), now: .zero)
            guard case .resume(caller, .success(let next))? = machine.attemptSucceeded("next").first else {
                return #expect(Bool(false), "there is no link")
            }
            grant = next
        }
        #expect(
            outcome(machine.operationFailed(grant, timedOut, isProven: true, retrying: .all)).text
                == "\(timedOut.cause)"
        )
        #expect(
            outcome(machine.operationFailed(grant, permanent, isProven: true, retrying: .all)).text
                == "\(permanent.cause)"
        )
    }

    @Test("a repeated operation shares a link that others have made meanwhile, and its losses still count")
    func sharesMeanwhile() throws {
        var machine = machine(retries: 1)
        let grant = connected(&machine)
        let claim = try #require(
            outcome(machine.operationFailed(grant, lost, isProven: true, retrying: .all)).claim
        )
        _ = machine.linkEnded()
        _ = machine.wanted(by: 2, now: .zero)
        _ = machine.attemptSucceeded("other")
        guard case .resume(3, .success(let next))? = machine.wanted(by: 3, claim, now: .zero).first else {
            return #expect(Bool(false), "there is no link")
        }
        #expect(next.link == "other")
        #expect(outcome(machine.operationFailed(next, lost, isProven: true, retrying: .all)).text == "linkLost(nil)")
    }

    @Test("an operation about to be repeated makes no new link after the link was abandoned")
    func disconnectsInPause() throws {
        var machine = machine(retries: 2)
        let grant = connected(&machine)
        let claim = try #require(
            outcome(machine.operationFailed(grant, lost, isProven: false, retrying: .beforeFirstPacket)).claim
        )
        _ = machine.linkEnded()
        #expect(machine.disconnect() == [])
        #expect(machine.wanted(by: 2, claim, now: .zero) == [.resume(2, .failure(.disconnected))])
        // The next operation may.
        #expect(machine.wanted(by: 3, now: .zero) == [attempt(at: .zero)])
    }
}

extension ConnectionLifecycle {
    /// A new operation wants the link.
    fileprivate mutating func wanted(by caller: CallerID, now: Instant) -> [Action] {
        wanted(by: caller, claim(), now: now)
    }
}
