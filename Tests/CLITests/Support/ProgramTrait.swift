// SPDX-License-Identifier: GPL-2.0-or-later

import Synchronization
import TestProcesses
import Testing

/// Runs each test of a suite when there is a free slot for its programs, and limits its time from then on.
///
/// The testing library's own limit counts from the start of the whole run, so that on a busy machine it includes the
/// time that a test waited for others.
///
/// A test that fails is run again if the machine has stood still meanwhile (`Standstill`), and then its failure is a
/// known issue. The last run counts in any case.
struct ProgramTrait: SuiteTrait, TestTrait, TestScoping {
    /// The longest time that a test may take from its start. It only ends what hangs: on a processor that is shared
    /// with others, a test may take fifty times as long as on a quiet machine.
    private static let limit = Duration.seconds(900)
    /// How often a test is run at most.
    private static let runs = 3

    let slots: ProgramSlots
    let isLong: Bool

    var isRecursive: Bool { true }

    @concurrent func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        // The documentation of the testing library says that the function should be called once; it may be called again.
        for run in 1...Self.runs {
            let attempt = Attempt()
            try await withKnownIssue("the machine stood still, and the test is run again", isIntermittent: true) {
                try await perform(function, attempt)
            } matching: { _ in
                run < Self.runs && attempt.excusesFailure()
            }
            guard attempt.hasExcused else { return }
        }
    }

    /// Runs a test once, in a slot.
    @concurrent private func perform(
        _ function: @concurrent @Sendable () async throws -> Void,
        _ attempt: Attempt
    ) async throws {
        try await ProgramSlots.use(slots, isLong: isLong) { programs in
            attempt.begin()
            try await withoutActuallyEscaping(function) { function in
                try await withThrowingTaskGroup(of: End.self) { group in
                    defer { group.cancelAll() }
                    group.addTask {
                        guard (try? await Task.sleep(for: Self.limit)) != nil else { return .ofLimit }
                        Issue.record("the programs of the test were killed after \(Self.limit)")
                        programs.killAll()
                        return .late
                    }
                    // The tests that only compute are runnable all the time. Without precedence, a program would wait
                    // for all of them at each step, and the machine would idle at the end, when only programs are left.
                    group.addTask(priority: .high) {
                        try await function()
                        return .ofTest
                    }
                    for try await end in group {
                        switch end {
                        case .ofTest: return
                        // It is cancelled as well, because it may wait for what its programs will never say.
                        case .late: group.cancelAll()
                        case .ofLimit: continue
                        }
                    }
                }
            }
        }
    }

    /// What has ended: the test, its time, or the wait for the end of that.
    private enum End {
        case ofTest, late, ofLimit
    }

    /// One run of a test.
    private final class Attempt: Sendable {
        private struct State {
            var start: ContinuousClock.Instant?
            var hasExcused = false
        }

        private let state = Mutex(State())

        /// Whether a failure was excused, so that the test has to be run again.
        var hasExcused: Bool { state.withLock { $0.hasExcused } }

        func begin() { state.withLock { $0.start = Standstill.now() } }

        /// Whether the machine has stood still since the beginning.
        func excusesFailure() -> Bool {
            state.withLock { state in
                guard let start = state.start, Standstill.hasBeen(since: start) else { return false }
                state.hasExcused = true
                return true
            }
        }
    }
}

extension Trait where Self == ProgramTrait {
    /// Marks a suite whose tests start programs.
    ///
    /// - Parameters:
    ///   - slots: The tests with which it shares the machine.
    ///   - isLong: Whether a test of the suite takes ten seconds or more. Such suites begin first.
    static func startsPrograms(_ slots: ProgramSlots = .busy, isLong: Bool = false) -> Self {
        ProgramTrait(slots: slots, isLong: isLong)
    }
}
