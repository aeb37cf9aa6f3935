// SPDX-License-Identifier: GPL-2.0-or-later

/// The verdict of a test, with its time. A skipped test has a report, too.
struct TestReport: Sendable, Equatable {
    /// The name of the test.
    var name: String
    /// Where the test begins in the script.
    var place: ScriptPlace
    /// Passed, failed or skipped.
    var verdict: ScriptProgress.Verdict
    /// When it began.
    var start: Timestamp
    /// How long it took.
    var duration: Duration
    /// The number of steps that ran, cleanup included.
    var stepCount: Int

    /// The failures of the steps, in order; empty if none failed.
    var failures: [StepFailure] {
        if case .failed(let failures) = verdict { failures } else { [] }
    }
}
