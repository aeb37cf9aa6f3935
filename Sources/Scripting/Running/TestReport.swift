// SPDX-License-Identifier: GPL-2.0-or-later

package import Records

/// The verdict of a test, with its time. A skipped test has a report, too.
package struct TestReport: Sendable, Equatable {
    package var name: String
    package var place: ScriptPlace
    /// Passed, failed or skipped.
    package var verdict: ScriptProgress.Verdict
    package var start: Timestamp
    package var duration: Duration
    /// The number of steps that ran, cleanup included.
    var stepCount: Int

    /// The failures of the steps, in order; empty if none failed.
    package var failures: [StepFailure] {
        if case .failed(let failures) = verdict { failures } else { [] }
    }
}
