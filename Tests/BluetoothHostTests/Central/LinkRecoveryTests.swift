// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@testable import BluetoothHost

@Suite("LinkRecovery")
struct LinkRecoveryTests {
    private let lost = RadioError(.linkLost(nil), during: "test")
    private let failed = RadioError(.connectFailed(nil), during: "test")

    private static let policy = RetryPolicy.unlimited(firstPause: .milliseconds(500), longestPause: .seconds(2))

    private func machine() -> LinkRecovery { LinkRecovery(policy: Self.policy) }

    private func moment(_ milliseconds: Int) -> Instant { .zero + .milliseconds(milliseconds) }

    private func attempt(_ number: Int, of recovery: Int = 1) -> LinkRecovery.Attempt {
        LinkRecovery.Attempt(recovery: recovery, number: number)
    }

    /// Actions in a few words.
    private func words(_ actions: [LinkRecovery.Action]) -> [String] {
        actions.map { action in
            switch action {
            case .notify(let observers, let kind):
                switch kind {
                case .linkLost(let error): "\(observers) lost: \(error.cause)"
                case .linkRestored(let gap, let attempts): "\(observers) restored after \(gap), attempt \(attempts)"
                case .reconnectionFailed(let attempt, let error, let pause):
                    "\(observers) attempt \(attempt) failed: \(Running.name(of: error)), pause \(pause)"
                case .ended(let error): "\(observers) ended: \(Running.name(of: error))"
                default: "\(observers) \(kind)"
                }
            case .holdValues: "hold"
            case .releaseValues: "release"
            case .attempt(let attempt, let moment):
                "attempt \(attempt.recovery).\(attempt.number) at \(moment.milliseconds)"
            case .cancelAttempt: "cancel"
            }
        }
    }

    /// A recovery whose first attempt is being made since 1,000 ms.
    private func recovering() -> LinkRecovery {
        var machine = machine()
        _ = machine.linkLost(lost, by: [1, 2], now: moment(1_000))
        let isDue = machine.attemptDue(attempt(1))
        #expect(isDue)
        return machine
    }

    // MARK: - idle

    @Test("idle, link lost: the observers learn it, values are held back, and the first attempt is due at once")
    func lostLink() {
        var machine = machine()
        #expect(
            words(machine.linkLost(lost, by: [1, 2], now: moment(1_000))) == [
                "[1, 2] lost: linkLost(nil)", "hold", "attempt 1.1 at 1000",
            ]
        )
        #expect(machine.isActive)
    }

    @Test("idle, link lost without observers: nothing happens")
    func unobserved() {
        var machine = machine()
        #expect(words(machine.linkLost(lost, by: [], now: .zero)) == [])
        #expect(!machine.isActive)
    }

    @Test("without a policy a loss ends the observations")
    func noPolicy() {
        var machine = LinkRecovery(policy: nil)
        #expect(words(machine.linkLost(lost, by: [1, 2], now: .zero)) == ["[1, 2] ended: radio: linkLost(nil)"])
        #expect(words(machine.linkLostUnnoticed(lost, by: 3, now: .zero)) == ["[3] ended: radio: linkLost(nil)"])
        #expect(!machine.isActive)
        #expect(words(machine.attemptFailed(attempt(1), failed, for: [1], now: .zero)) == [])
    }

    @Test("idle, link lost unnoticed: a recovery begins for that observer")
    func unnoticed() {
        var machine = machine()
        #expect(
            words(machine.linkLostUnnoticed(lost, by: 3, now: moment(5))) == [
                "[3] lost: linkLost(nil)", "hold", "attempt 1.1 at 5",
            ]
        )
    }

    @Test("idle: an attempt that was not ordered is not due, and its results are ignored")
    func idle() {
        var machine = machine()
        let due = machine.attemptDue(attempt(1))
        #expect(!due)
        #expect(words(machine.attemptSucceeded(attempt(1), for: [1], now: .zero)) == [])
        #expect(words(machine.attemptFailed(attempt(1), failed, for: [1], now: .zero)) == [])
        #expect(words(machine.abandon()) == [])
    }

    // MARK: - pausing

    @Test("pausing, attempt due: it is made, once")
    func due() {
        var machine = machine()
        _ = machine.linkLost(lost, by: [1], now: .zero)
        let (other, first, again) = (
            machine.attemptDue(attempt(2)), machine.attemptDue(attempt(1)), machine.attemptDue(attempt(1))
        )
        #expect([other, first, again] == [false, true, false])
    }

    @Test("pausing, another link lost: only a new observer is informed, and nothing begins anew")
    func lostInPause() {
        var machine = machine()
        _ = machine.linkLost(lost, by: [1], now: .zero)
        #expect(words(machine.linkLost(failed, by: [1], now: moment(10))) == [])
        #expect(words(machine.linkLostUnnoticed(failed, by: 2, now: moment(20))) == ["[2] lost: connectFailed(nil)"])
        let isDue = machine.attemptDue(attempt(1))
        #expect(isDue)
    }

    @Test("pausing, success of an attempt that was not due: ignored")
    func succeedsInPause() {
        var machine = machine()
        _ = machine.linkLost(lost, by: [1], now: .zero)
        #expect(words(machine.attemptSucceeded(attempt(1), for: [1], now: .zero)) == [])
        #expect(machine.isActive)
    }

    @Test("pausing, the attempt cannot be started: that is its failure")
    func cannotStart() {
        var machine = machine()
        _ = machine.linkLost(lost, by: [1], now: .zero)
        let cancelled = RadioError(.cancelled, during: "test")
        #expect(
            words(machine.attemptFailed(attempt(1), cancelled, for: [1], now: .zero)) == [
                "[1] ended: radio: cancelled", "release",
            ]
        )
    }

    @Test("pausing, abandoned: the pause is cancelled, and the attempt is not due any more")
    func abandonedInPause() {
        var machine = machine()
        _ = machine.linkLost(lost, by: [1], now: .zero)
        #expect(words(machine.abandon()) == ["cancel", "release"])
        let isDue = machine.attemptDue(attempt(1))
        #expect(!isDue && !machine.isActive)
    }

    // MARK: - attempting

    @Test("attempting, success: the present observers learn the length of the gap, and then get the values")
    func succeeds() {
        var machine = recovering()
        #expect(
            words(machine.attemptSucceeded(attempt(1), for: [2, 5], now: moment(1_300))) == [
                "[2, 5] restored after 0.3 seconds, attempt 1", "release",
            ]
        )
        #expect(!machine.isActive)
        #expect(words(machine.attemptSucceeded(attempt(1), for: [2, 5], now: moment(1_400))) == [], "once")
    }

    @Test("attempting, failure: values of that link are dropped, and the pauses double up to the longest")
    func fails() {
        var machine = recovering()
        let pauses = [(500, "0.5"), (1_000, "1.0"), (2_000, "2.0"), (2_000, "2.0")]
        var now = 1_000
        for (index, (length, text)) in pauses.enumerated() {
            let actions = machine.attemptFailed(attempt(index + 1), failed, for: [1], now: moment(now))
            now += length
            #expect(
                words(actions) == [
                    "hold", "[1] attempt \(index + 1) failed: radio: connectFailed(nil), pause \(text) seconds",
                    "attempt 1.\(index + 2) at \(now)",
                ]
            )
            let isDue = machine.attemptDue(attempt(index + 2))
            #expect(isDue)
        }
        #expect(
            words(machine.attemptSucceeded(attempt(5), for: [1], now: moment(now))) == [
                "[1] restored after 5.5 seconds, attempt 5", "release",
            ]
        )
    }

    @Test(
        "attempting, hopeless failure: the recovery ends",
        arguments: [
            RadioError(.noKernelSupport, during: "test"),
            ConnectFailure(
                error: RadioError(.permissionDenied(capability: "CAP_NET_RAW"), during: "test"),
                attempts: 1
            ),
            MissingAttribute.service(0x180D), CancellationError(),
        ] as [any Error]
    )
    func hopeless(error: any Error) {
        var machine = recovering()
        #expect(
            words(machine.attemptFailed(attempt(1), error, for: [1, 2], now: .zero)) == [
                "[1, 2] ended: \(Running.name(of: error))", "release",
            ]
        )
        #expect(!machine.isActive)
    }

    @Test("attempting, the new link lost: only the failure of the attempt is reported")
    func lostWhileRestoring() {
        var machine = recovering()
        #expect(words(machine.linkLost(lost, by: [1, 2], now: moment(1_100))) == [])
        #expect(
            words(machine.attemptFailed(attempt(1), lost, for: [1, 2], now: moment(1_100))) == [
                "hold", "[1, 2] attempt 1 failed: radio: linkLost(nil), pause 0.5 seconds", "attempt 1.2 at 1600",
            ]
        )
    }

    @Test("attempting, abandoned: the attempt is cancelled, and its result is ignored")
    func abandonedInAttempt() {
        var machine = recovering()
        #expect(words(machine.abandon()) == ["cancel", "release"])
        #expect(words(machine.attemptSucceeded(attempt(1), for: [7], now: .zero)) == [])
        #expect(words(machine.attemptFailed(attempt(1), CancellationError(), for: [7], now: .zero)) == [])
        #expect(words(machine.abandon()) == [])
    }

    @Test("results of an earlier recovery do not touch the next one")
    func earlier() {
        var machine = recovering()
        _ = machine.abandon()
        #expect(
            words(machine.linkLost(lost, by: [3], now: moment(2_000))) == [
                "[3] lost: linkLost(nil)", "hold", "attempt 2.1 at 2000",
            ]
        )
        let isDue = machine.attemptDue(attempt(1))
        #expect(!isDue)
        #expect(words(machine.attemptSucceeded(attempt(1), for: [3], now: moment(2_001))) == [])
        #expect(words(machine.attemptFailed(attempt(1), lost, for: [3], now: moment(2_001))) == [])
        let isNextDue = machine.attemptDue(attempt(1, of: 2))
        #expect(isNextDue)
        #expect(words(machine.attemptFailed(attempt(1), lost, for: [3], now: moment(2_001))) == [])
        #expect(words(machine.attemptSucceeded(attempt(1, of: 2), for: [3], now: moment(2_500))).count == 2)
    }

    // MARK: - Links that do not last

    @Test("a link lost soon after its restoration counts as a failed attempt; a lasting one does not")
    func flapping() {
        var machine = recovering()
        var now = 1_000
        for (pause, recovery) in [(500, 2), (1_000, 3), (2_000, 4), (2_000, 5)] {
            _ = machine.attemptSucceeded(attempt(1, of: recovery - 1), for: [1], now: moment(now))
            now += 1_999
            #expect(
                words(machine.linkLost(lost, by: [1], now: moment(now))).last
                    == "attempt \(recovery).1 at \(now + pause)"
            )
            now += pause
            let isDue = machine.attemptDue(attempt(1, of: recovery))
            #expect(isDue)
        }
        _ = machine.attemptSucceeded(attempt(1, of: 5), for: [1], now: moment(now))
        now += 2_000
        #expect(words(machine.linkLost(lost, by: [1], now: moment(now))).last == "attempt 6.1 at \(now)")
    }

    @Test("a loss right after the success begins the next recovery, with a pause")
    func lostAtOnce() {
        var machine = recovering()
        _ = machine.attemptSucceeded(attempt(1), for: [1, 2], now: moment(1_000))
        #expect(
            words(machine.linkLost(lost, by: [1, 2], now: moment(1_000))) == [
                "[1, 2] lost: linkLost(nil)", "hold", "attempt 2.1 at 1500",
            ]
        )
    }
}
