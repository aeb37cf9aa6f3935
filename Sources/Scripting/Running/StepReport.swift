// SPDX-License-Identifier: GPL-2.0-or-later

package import Records
package import Toolkit

/// The outcome of a step, with its time and the messages of its command.
package struct StepReport: Sendable, Equatable {
    /// The step, and the rounds of `repeat` around it.
    package var position: StepCursor.Position
    /// Whether it belongs to the setup, a test or the cleanup.
    package var section: ScriptProgress.Section
    package var end: ScriptProgress.StepEnd
    package var start: Timestamp
    package var duration: Duration
    package var messages: [String] = []
    var resultCount = 0
    /// The times of its scan, its connection and its requests (`--timing`); `nil` if they were not counted.
    package var timing: StepTiming?
}

/// The times of a step that has ended, as its record and its lines tell them.
package struct StepTiming: Sendable, Equatable {
    package let snapshot: RunTiming.Snapshot
    /// The lines for a person; empty for a step that has sent nothing.
    package let lines: [String]

    init(_ timing: RunTiming) {
        let snapshot = timing.snapshot
        self.snapshot = snapshot
        lines = snapshot.isEmpty ? [] : timing.text.split(separator: "\n").map(String.init)
    }

    /// Reports are compared by what a person reads of them.
    package static func == (left: Self, right: Self) -> Bool { left.lines == right.lines }
}

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
