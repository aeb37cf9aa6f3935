// SPDX-License-Identifier: GPL-2.0-or-later

import TestProcesses
import Testing

/// Runs each test of a suite when there is a free slot for its programs, and limits its time from then on.
///
/// The testing library's own limit counts from the start of the whole run, so that on a busy machine it includes the
/// time that a test waited for others.
struct ProgramTrait: SuiteTrait, TestTrait, TestScoping {
    /// The limit of most suites.
    static let usualLimit = Duration.seconds(180)

    let slots: ProgramSlots
    let limit: Duration
    let isLong: Bool

    var isRecursive: Bool { true }

    @concurrent func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await ProgramSlots.use(slots, isLong: isLong) { programs in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    guard (try? await Task.sleep(for: limit)) != nil else { return }
                    Issue.record("the programs of the test were killed after \(limit)")
                    programs.killAll()
                }
                defer { group.cancelAll() }
                // The tests that only compute are runnable all the time. Without precedence, a program would wait for all of
                // them at each step, and the machine would idle at the end, when only programs are left.
                try await withoutActuallyEscaping(function) { function in
                    try await withThrowingTaskGroup(of: Void.self) { work in
                        work.addTask(priority: .high) { try await function() }
                        try await work.waitForAll()
                    }
                }
            }
        }
    }
}

extension Trait where Self == ProgramTrait {
    /// Marks a suite whose tests start programs.
    ///
    /// - Parameters:
    ///   - slots: The tests with which it shares the machine.
    ///   - limit: The maximum duration of a test from its start: many times its duration on a quiet machine.
    ///   - isLong: Whether a test of the suite takes ten seconds or more. Such suites begin first.
    static func startsPrograms(
        _ slots: ProgramSlots = .busy,
        limit: Duration = ProgramTrait.usualLimit,
        isLong: Bool = false
    ) -> Self {
        ProgramTrait(slots: slots, limit: limit, isLong: isLong || limit > ProgramTrait.usualLimit)
    }
}
