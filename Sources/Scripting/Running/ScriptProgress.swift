// SPDX-License-Identifier: GPL-2.0-or-later

import Terminal

/// Decides the next test and step of a script, the steps to skip, and the verdict of a test.
///
/// The owner takes the next action, carries it out, and reports the end of a step before it takes another one.
package struct ScriptProgress: Sendable {
    /// The part of a script that a step belongs to.
    package enum Section: Sendable, Equatable {
        case setup
        case test(Int)
        case cleanup(ofTest: Int)
        case finalCleanup
    }

    package enum Verdict: Sendable, Equatable {
        case passed
        /// With the failure of the test, and those of its cleanup.
        case failed([StepFailure])
        case skipped(String)
    }

    /// The next work of the engine.
    package enum Action: Sendable, Equatable {
        case begin(test: Int)
        case run(StepCursor.Position, Section)
        case end(test: Int, Verdict)
        /// A test that does not run, and why.
        case skip(test: Int, String)
        case finish
    }

    package enum StepEnd: Sendable, Equatable {
        case passed
        case failed(StepFailure)
        /// The run was interrupted before or during the step.
        case interrupted
    }

    private enum Phase {
        case setup(StepCursor)
        case before(test: Int)
        case test(Int, StepCursor)
        case cleanup(Int, StepCursor)
        case finalCleanup(StepCursor)
        case finished
    }

    /// The reason for skipping a test after an interruption.
    package static let interruption = "interrupted"

    private let script: Script
    private let keepsGoing: Bool
    private var phase: Phase
    private var failures: [StepFailure] = []
    private var wasInterrupted = false
    /// Whether a step has run, after which there is something to clean up.
    private var hasBegun = false
    /// Whether no step runs any more, those of cleanups included.
    private var isAbandoned = false
    /// Why no more tests run.
    private var stop: String?

    /// The failures before the first test.
    private(set) var setupFailures: [StepFailure] = []
    /// The failures after the last test.
    private(set) var cleanupFailures: [StepFailure] = []

    /// - Parameter keepsGoing: Whether a failed test does not keep the next ones from running.
    init(_ script: Script, keepsGoing: Bool) {
        self.script = script
        self.keepsGoing = keepsGoing
        phase = .setup(StepCursor(script.setup))
    }

    /// The next action. Skipped parts are passed in the same call, so each result is work for the engine.
    package mutating func next() -> Action {
        while true {
            switch phase {
            case .setup(var cursor):
                guard let position = cursor.next() else {
                    phase = .before(test: 0)
                    continue
                }
                phase = .setup(cursor)
                hasBegun = true
                return .run(position, .setup)
            case .before(let test):
                guard test < script.tests.count else {
                    phase = .finalCleanup(StepCursor(cleansUp ? script.cleanup : []))
                    continue
                }
                if let stop {
                    phase = .before(test: test + 1)
                    return .skip(test: test, stop)
                }
                failures = []
                hasBegun = true
                phase = .test(test, StepCursor(script.tests[test].steps))
                return .begin(test: test)
            case .test(let test, var cursor):
                guard let position = cursor.next() else {
                    phase = .cleanup(test, StepCursor(script.tests[test].cleanup))
                    continue
                }
                phase = .test(test, cursor)
                return .run(position, .test(test))
            case .cleanup(let test, var cursor):
                if let position = cursor.next() {
                    phase = .cleanup(test, cursor)
                    return .run(position, .cleanup(ofTest: test))
                }
                phase = .before(test: test + 1)
                return .end(test: test, verdict())
            case .finalCleanup(var cursor):
                guard let position = cursor.next() else {
                    phase = .finished
                    continue
                }
                phase = .finalCleanup(cursor)
                return .run(position, .finalCleanup)
            case .finished: return .finish
            }
        }
    }

    /// Whether the steps at the end run: not those of a script that an interruption of another one has kept from beginning.
    private var cleansUp: Bool { !isAbandoned && (hasBegun || !wasInterrupted) }

    /// The step that `next` gave has ended.
    mutating func stepEnded(_ end: StepEnd) {
        switch end {
        case .passed: break
        case .failed(let failure): failed(failure)
        case .interrupted: interrupt()
        }
    }

    /// The run has to end: only cleanup follows.
    ///
    /// - Parameters:
    ///   - reason: Why the tests that have not ended are skipped.
    ///   - failure: The failure of the test that runs, or of the setup if that has begun; `nil` if the user has ended the
    ///     run, which is not a failure of either.
    package mutating func interrupt(_ reason: String = Self.interruption, failing failure: StepFailure? = nil) {
        wasInterrupted = true
        stop = reason
        switch phase {
        case .setup:
            // A script that another one has kept from beginning has no failure of its own.
            if let failure, hasBegun {
                setupFailures.append(failure.placed(at: script.setup.first?.place, "setup"))
            }
            phase = .before(test: 0)
        case .test(let test, _):
            let own = script.tests[test]
            if let failure { failures.append(failure.placed(at: own.place, "test \(Prose.quoted(own.name))")) }
            phase = .cleanup(test, StepCursor(script.tests[test].cleanup))
        // A cleanup that has begun goes on, and there is no test to leave.
        case .before, .cleanup, .finalCleanup, .finished: break
        }
    }

    /// The cleanup has taken too long: no step follows, but the tests that have not ended are still reported.
    mutating func abandon() {
        if !wasInterrupted { interrupt() }
        isAbandoned = true
        switch phase {
        case .cleanup(let test, _): phase = .cleanup(test, StepCursor([]))
        case .finalCleanup: phase = .finalCleanup(StepCursor([]))
        // An interruption has ended the setup and the test, and before a test nothing runs.
        case .setup, .before, .test, .finished: break
        }
    }

    /// The verdict of a test that has ended, with failures that are not those of steps. The interruption of a test
    /// counts more than they do.
    package mutating func verdict(_ verdict: Verdict, adding others: [StepFailure]) -> Verdict {
        guard !others.isEmpty else { return verdict }
        switch verdict {
        case .passed: failures = others
        case .failed(let own): failures = own + others
        case .skipped: return verdict
        }
        return self.verdict()
    }

    /// Moves on after a failed step: a failed setup skips all tests, and a failed test goes to its cleanup. Failures
    /// of a cleanup are only noted, so that the rest of it runs.
    private mutating func failed(_ failure: StepFailure) {
        switch phase {
        case .setup:
            setupFailures.append(failure)
            stop = "the setup failed"
            phase = .before(test: 0)
        case .test(let test, _):
            failures.append(failure)
            phase = .cleanup(test, StepCursor(script.tests[test].cleanup))
        case .cleanup: failures.append(failure)
        case .finalCleanup: cleanupFailures.append(failure)
        case .before, .finished: break
        }
    }

    private mutating func verdict() -> Verdict {
        guard failures.isEmpty else {
            // An interruption, which is noted already, is the actual reason.
            if !keepsGoing { stop = stop ?? "an earlier test failed" }
            return .failed(failures)
        }
        // A test that was cut off has no failure, and has not passed either.
        return wasInterrupted ? .skipped(Self.interruption) : .passed
    }
}

extension StepFailure {
    /// The failure at a place outside of steps, because it came between two steps.
    fileprivate func placed(at place: ScriptPlace?, _ text: String) -> StepFailure {
        guard step.isEmpty, let place else { return self }
        var failure = self
        failure.step = text
        failure.place = place
        return failure
    }
}
