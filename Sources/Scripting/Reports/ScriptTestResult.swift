// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
package import Records
package import Terminal

/// A test that has ended or was skipped.
package struct ScriptTestResult: RecordedResult {
    package let script: String
    /// The number of the test in the run, from 1.
    package let number: Int
    package let test: TestReport

    package static let record = RecordKind<Self>("script-test", "a test of a script") {
        RecordField("script", .string, "path of the script") { $0.script }
        RecordField("test", .string, "its name") { $0.test.name }
        RecordField("number", .integer, "its number in the run, from 1") { $0.number }
        ScriptPlace.record.of { $0.test.place }
        RecordField("outcome", .string, "`passed`, `failed` or `skipped`") { $0.test.verdict.name }
        RecordField("reason", orNull: .string, "why it was skipped") {
            if case .skipped(let why) = $0.test.verdict { why } else { nil }
        }
        RecordField("duration_ms", .integer("ms"), "how long it took") { $0.test.duration.milliseconds }
        RecordField("steps", .integer, "number of steps that ran") { $0.test.stepCount }
        RecordField(
            "failures",
            .array(of: .object(StepFailure.record)),
            "what failed: in the test, then in its cleanup"
        ) { $0.test.failures }
    }

    package var timestamp: Timestamp { test.start + test.duration }

    package func text(_ style: TextStyle) -> String? {
        let marks = ReportMarks(style)
        let name = TerminalText.escaped(test.name)
        switch test.verdict {
        case .passed: return "\(marks.passed) \(name) (\(test.duration.shortText))"
        case .skipped(let reason): return "\(marks.skipped) \(name): skipped, \(TerminalText.escaped(reason))"
        case .failed(let failures):
            let details = failures.flatMap { $0.lines + $0.packetLines.map { "  \($0)" } }
            let lines = details.map { "    \(TerminalText.escaped($0))" }
            return (["\(marks.failed) \(style.paint(name, .bold)) (\(test.duration.shortText))"] + lines)
                .joined(separator: "\n")
        }
    }
}

extension ScriptProgress.Verdict {
    /// The name in records.
    package var name: String {
        switch self {
        case .passed: "passed"
        case .failed: "failed"
        case .skipped: "skipped"
        }
    }
}

/// The marks before a test or a step.
struct ReportMarks {
    package let passed: String
    package let failed: String
    package let skipped: String

    init(_ style: TextStyle) {
        passed = style.paint(style.usesUnicode ? "✓" : "ok", .green)
        failed = style.paint(style.usesUnicode ? "✗" : "FAILED", .red)
        skipped = style.paint("-", .yellow)
    }
}

package struct ScriptEndResult: RecordedResult {
    package let scripts: [ScriptReport]
    package let timestamp: Timestamp

    private func total(_ count: (ScriptReport) -> Int) -> Int { scripts.reduce(0) { $0 + count($1) } }

    private var duration: Duration { scripts.reduce(.zero) { $0 + $1.duration } }

    package static let record = RecordKind<Self>("script-end", "the end of a run") {
        RecordField("scripts", .integer, "number of scripts") { $0.scripts.count }
        RecordField("tests", .integer, "number of tests") { $0.total { $0.tests.count } }
        RecordField("passed", .integer, "number of those that passed") { $0.total(\.passedCount) }
        RecordField("failed", .integer, "number of those that failed") { $0.total(\.failedCount) }
        RecordField("skipped", .integer, "number of those that did not run to their end") {
            $0.total(\.skippedCount)
        }
        RecordField("duration_ms", .integer("ms"), "how long it took") { $0.duration.milliseconds }
        RecordField("status", .integer, "exit status; 130 for a run that a signal has ended") {
            $0.scripts.end.number
        }
        RecordField("status_name", .string, "its name; `interrupted` for such a run") { $0.scripts.end.name }
    }

    package func text(_ style: TextStyle) -> String? {
        let failed = total(\.failedCount)
        var parts = ["\(total(\.passedCount)) passed"]
        if failed > 0 { parts.append(style.paint("\(failed) failed", .red)) }
        if total(\.skippedCount) > 0 { parts.append("\(total(\.skippedCount)) skipped") }
        let head = scripts.end == .interrupted ? style.paint("interrupted", .red) + "; " : ""
        let tests = "\(count: total { $0.tests.count }, "test"): \(parts.joined(separator: ", "))"
        return "\(head)\(tests) in \(duration.shortText)"
    }
}
