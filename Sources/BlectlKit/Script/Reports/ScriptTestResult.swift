// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

/// A test that has ended or was skipped.
struct ScriptTestResult: RecordedResult {
    let script: String
    /// The number of the test in the run, from 1.
    let number: Int
    let test: TestReport

    var record: Record {
        var reason: String?
        if case .skipped(let why) = test.verdict { reason = why }
        return Record(
            "script-test",
            at: test.start + test.duration,
            [
                "duration_ms": .integer(test.duration.milliseconds),
                "failures": .array(test.failures.map(\.json)),
                "file": .string(test.place.file),
                "line": .integer(Int64(test.place.line)),
                "number": .integer(Int64(number)),
                "outcome": .string(test.verdict.name),
                "reason": .optional(reason),
                "script": .string(script),
                "steps": .integer(Int64(test.stepCount)),
                "test": .string(test.name),
            ]
        )
    }

    func text(_ style: TextStyle) -> String? {
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
    var name: String {
        switch self {
        case .passed: "passed"
        case .failed: "failed"
        case .skipped: "skipped"
        }
    }
}

/// The marks before a test or a step.
struct ReportMarks {
    let passed: String
    let failed: String
    let skipped: String

    init(_ style: TextStyle) {
        passed = style.paint(style.usesUnicode ? "✓" : "ok", .green)
        failed = style.paint(style.usesUnicode ? "✗" : "FAILED", .red)
        skipped = style.paint("-", .yellow)
    }
}

/// The end of a run.
struct ScriptEndResult: RecordedResult {
    let scripts: [ScriptReport]
    let timestamp: Timestamp

    private func total(_ count: (ScriptReport) -> Int) -> Int { scripts.reduce(0) { $0 + count($1) } }

    private var duration: Duration { scripts.reduce(.zero) { $0 + $1.duration } }

    var record: Record {
        let end = scripts.end
        return Record(
            "script-end",
            at: timestamp,
            [
                "duration_ms": .integer(duration.milliseconds),
                "failed": .integer(Int64(total(\.failedCount))),
                "passed": .integer(Int64(total(\.passedCount))),
                "scripts": .integer(Int64(scripts.count)),
                "skipped": .integer(Int64(total(\.skippedCount))),
                "status": .integer(Int64(end.number)),
                "status_name": .string(end.name),
                "tests": .integer(Int64(total { $0.tests.count })),
            ]
        )
    }

    func text(_ style: TextStyle) -> String? {
        let failed = total(\.failedCount)
        var parts = ["\(total(\.passedCount)) passed"]
        if failed > 0 { parts.append(style.paint("\(failed) failed", .red)) }
        if total(\.skippedCount) > 0 { parts.append("\(total(\.skippedCount)) skipped") }
        let head = scripts.end == .interrupted ? style.paint("interrupted", .red) + "; " : ""
        let tests = "\(count: total { $0.tests.count }, "test"): \(parts.joined(separator: ", "))"
        return "\(head)\(tests) in \(duration.shortText)"
    }
}
