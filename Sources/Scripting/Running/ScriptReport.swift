// SPDX-License-Identifier: GPL-2.0-or-later

package import Records

/// The reports of the tests in a script, and the time of the whole script.
package struct ScriptReport: Sendable, Equatable {
    /// The path of the script.
    package var name: String
    package var start: Timestamp
    package var duration: Duration
    /// The tests in order. A failure before the first or after the last test forms a separate test.
    package var tests: [TestReport] = []
    /// What has ended the script before its last step; `nil` if nothing has.
    package var interruption: RunInterruption?

    var passedCount: Int { tests.count { $0.verdict == .passed } }
    var failedCount: Int { tests.count { !$0.failures.isEmpty } }
    /// The tests that did not run.
    var skippedCount: Int { tests.count - passedCount - failedCount }

    /// The index of the test that the interruption has cut off, or kept from beginning; `nil` if there is none. The
    /// reports with a verdict for each test count it as failed, so that the run does not look like a success.
    var interruptedTest: Int? {
        switch interruption {
        case nil: nil
        case .signal: tests.firstIndex { $0.verdict == .skipped(ScriptProgress.interruption) }
        // It is a failure of the test that it has cut off.
        case .deadline: failedCount > 0 ? nil : tests.firstIndex { $0.verdict != .passed }
        }
    }
}

/// What ends a script before its last step.
package enum RunInterruption: Sendable, Equatable {
    /// A signal, as that of Ctrl-C.
    case signal
    /// The time of `--deadline` is over.
    case deadline
}
