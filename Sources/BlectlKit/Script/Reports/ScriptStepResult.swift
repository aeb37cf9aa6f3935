// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

/// A step that has ended.
struct ScriptStepResult: RecordedResult {
    let script: String
    /// The name of the test; `nil` for a step outside of tests.
    let test: String?
    let step: StepReport

    private var failure: StepFailure? {
        if case .failed(let failure) = step.end { failure } else { nil }
    }

    var record: Record {
        let outcome =
            switch step.end {
            case .passed: "passed"
            case .failed: "failed"
            case .interrupted: "interrupted"
            }
        var members: [String: JSONValue] = [
            "duration_ms": .integer(step.duration.milliseconds),
            "failure": failure?.json ?? .null,
            "file": .string(step.position.step.place.file),
            "line": .integer(Int64(step.position.step.place.line)),
            "messages": .array(step.messages.map { .string($0) }),
            "outcome": .string(outcome),
            "results": .integer(Int64(step.resultCount)),
            "rounds": .array(step.position.rounds.map { .integer(Int64($0.number)) }),
            "script": .string(script),
            "section": .string(step.section.name),
            "step": .string(step.position.step.text),
            "test": .optional(test),
        ]
        // A member only with `--timing`, as in the records of other commands.
        if let timing = step.timing { members[RunTiming.key] = timing.json }
        return Record("script-step", at: step.start + step.duration, members)
    }

    /// A line for a person who uses `-v`.
    func text(_ style: TextStyle) -> String? {
        let marks = ReportMarks(style)
        let mark =
            switch step.end {
            case .passed: marks.passed
            case .failed: marks.failed
            case .interrupted: marks.skipped
            }
        let rounds = step.position.rounds.map { " [\($0.number)/\($0.count)]" }.joined()
        let line = "    \(mark) \(TerminalText.escaped(step.position.step.text))\(rounds) (\(step.duration.shortText))"
        let more = step.messages.map { TerminalText.escaped($0) } + (step.timing?.lines ?? [])
        return ([line] + more.map { "        \($0)" }).joined(separator: "\n")
    }
}

extension ScriptProgress.Section {
    /// The name in records.
    var name: String {
        switch self {
        case .setup: "setup"
        case .test: "test"
        case .cleanup, .finalCleanup: "cleanup"
        }
    }
}

extension StepFailure {
    /// The failure as a part of a record.
    var json: JSONValue {
        .object([
            "expected": .optional(expected),
            "file": .string(place.file),
            "got": .optional(got),
            "hint": .optional(hint),
            "line": .integer(Int64(place.line)),
            "message": .string(message),
            "notes": .array(notes.map { .string($0) }),
            "packets": .array(packets.map { .string($0) }),
            "round": .optional(round),
            "status": .integer(Int64(status.rawValue)),
            "status_name": .string(status.name),
            "step": .string(step),
            "text": .optional(text),
            "value": .optional(value),
        ])
    }

    /// The lines for a person: the place and the step, expected and actual result, the value, and other helpful facts.
    var lines: [String] {
        var lines = ["\(place.file):\(place.line): \(step)" + (round.map { " (\($0))" } ?? "")]
        if let expected, let got {
            lines += ["  expected  \(expected)", "  got       \(got)"]
        } else {
            lines.append("  \(message)")
        }
        if let value {
            lines.append("  value     " + (value.isEmpty ? "empty" : value) + (text.map { "  (\($0))" } ?? ""))
        }
        lines += notes.map { "  note      \($0)" }
        if let hint { lines.append("  hint      \(hint)") }
        return lines
    }

    /// The last packets, with a heading; empty if there are none.
    var packetLines: [String] {
        packets.isEmpty ? [] : ["the last packets:"] + packets.map { "  \($0)" }
    }
}

extension Timestamp {
    /// The moment on both clocks. The wall clock is computed from the start as well, so that a clock that is
    /// set during the step does not make its end earlier than its beginning.
    static func + (start: Timestamp, duration: Duration) -> Timestamp {
        Timestamp(wall: start.wall + duration, monotonic: start.monotonic + duration)
    }
}

extension Duration {
    /// In whole milliseconds.
    var milliseconds: Int64 { clampedNanoseconds / 1_000_000 }

    /// In seconds with two digits, or in milliseconds if it is short.
    var shortText: String {
        let milliseconds = milliseconds
        guard milliseconds >= 1_000 else { return "\(milliseconds) ms" }
        let hundredths = milliseconds / 10
        let fraction = hundredths % 100
        return "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction) s"
    }
}
