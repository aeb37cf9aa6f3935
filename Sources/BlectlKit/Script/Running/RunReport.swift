// SPDX-License-Identifier: GPL-2.0-or-later

/// The outcome of a step, with its time and the messages of its command.
struct StepReport: Sendable, Equatable {
    /// The step, and the rounds of `repeat` around it.
    var position: StepCursor.Position
    /// Whether it belongs to the setup, a test or the cleanup.
    var section: ScriptProgress.Section
    /// How it ended.
    var end: ScriptProgress.StepEnd
    /// When it began.
    var start: Timestamp
    /// How long it took.
    var duration: Duration
    /// The remarks of the command.
    var messages: [String] = []
    /// The number of its results.
    var resultCount = 0
    /// The times of its scan, its connection and its requests (`--timing`); `nil` if they were not counted.
    var timing: StepTiming?
}

/// The times of a step that has ended, as its record and its lines tell them.
struct StepTiming: Sendable, Equatable {
    let json: JSONValue
    /// The lines for a person; empty for a step that has sent nothing.
    let lines: [String]

    init(_ timing: RunTiming) {
        let snapshot = timing.snapshot
        json = snapshot.json
        lines = snapshot.isEmpty ? [] : timing.text.split(separator: "\n").map(String.init)
    }
}

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

/// The reports of the tests in a script, and the time of the whole script.
struct ScriptReport: Sendable, Equatable {
    /// The path of the script.
    var name: String
    /// When it began.
    var start: Timestamp
    /// How long the whole script took.
    var duration: Duration
    /// The tests in order. A failure before the first or after the last test forms a separate test.
    var tests: [TestReport] = []
    /// What has ended the script before its last step; `nil` if nothing has.
    var interruption: RunInterruption?

    var passedCount: Int { tests.count { $0.verdict == .passed } }
    /// The number of tests with a failed step.
    var failedCount: Int { tests.count { !$0.failures.isEmpty } }
    /// The tests that did not run.
    var skippedCount: Int { tests.count - passedCount - failedCount }

    /// The index of the test that the interruption has cut off, or kept from beginning; `nil` if there is none. The
    /// reports with a verdict for each test count it as failed, so that the run does not look like a success.
    var interruptedTest: Int? {
        guard interruption != nil else { return nil }
        return tests.firstIndex { $0.verdict == .skipped(ScriptProgress.interruption) }
    }
}

/// What ends a script before its last step.
enum RunInterruption: Sendable, Equatable {
    /// A signal, as that of Ctrl-C.
    case signal
    /// The time of `--deadline` is over.
    case deadline
}

/// The exit status of a run, with its name.
struct RunStatus: Sendable, Equatable {
    var number: Int32
    var name: String

    init(_ status: ExitStatus) { (number, name) = (status.rawValue, status.name) }

    private init(number: Int32, name: String) { (self.number, self.name) = (number, name) }

    /// That of a run that a signal has ended. The number is that of the usual signal: the run does not know which one
    /// it was.
    static let interrupted = Self(number: 130, name: "interrupted")
}

extension [ScriptReport] {
    /// The exit status of the run: 0, 1 if only expectations were not met, else that of the first step that broke.
    var status: ExitStatus {
        let failures = flatMap { $0.tests.flatMap(\.failures) }
        // A broken step is more informative than an unmet expectation.
        return failures.lazy.map(\.status).first { $0 != .expectationFailed }
            ?? (failures.isEmpty ? .success : .expectationFailed)
    }

    /// The exit status with which the process ends: an interruption counts more than a failure.
    var end: RunStatus {
        if contains(where: { $0.interruption == .signal }) { return .interrupted }
        return RunStatus(contains { $0.interruption == .deadline } ? .timedOut : status)
    }
}

/// Gets the events of a script while it runs. It cannot fail: a run has effects besides what is told of it, and goes on
/// to its cleanup when nobody listens any more.
protocol RunObserver: Sendable {
    /// A script begins, with that many tests.
    func began(_ script: Script) async

    func ended(_ step: StepReport, of test: String?) async

    /// A test has ended, or is skipped. `number` is its number in the whole run, from 1.
    func ended(_ test: TestReport, number: Int, of script: Script) async
}
