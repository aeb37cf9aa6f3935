// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
package import BluetoothProfiles
import CommandLineInterface
package import Records
package import Terminal
import Toolkit

package struct ScriptStepResult: RecordedResult {
    package let script: String
    /// The name of the test; `nil` for a step outside of tests.
    package let test: String?
    package let step: StepReport

    private var failure: StepFailure? {
        if case .failed(let failure) = step.end { failure } else { nil }
    }

    package static let record = RecordKind<Self>("script-step", "a step of a script") {
        RecordField("script", .string, "path of the script") { $0.script }
        RecordField("test", orNull: .string, "test that it belongs to") { $0.test }
        RecordField("section", .string, "`setup`, `test` or `cleanup`") { $0.step.section.name }
        ScriptPlace.record.of { $0.step.position.step.place }
        RecordField("step", .string, "step as it was typed") { $0.step.position.step.text }
        RecordField("rounds", .array(of: .integer), "rounds of `repeat`, the outermost first") {
            $0.step.position.rounds.map(\.number)
        }
        RecordField("outcome", .string, "`passed`, `failed` or `interrupted`") { $0.outcome }
        RecordField("duration_ms", .integer("ms"), "how long it took") { $0.step.duration.milliseconds }
        RecordField("results", .integer, "number of its results") { $0.step.resultCount }
        RecordField("messages", .array(of: .string), "remarks of the command") { $0.step.messages }
        RecordField("failure", orNull: .object(StepFailure.record), "why it failed") { $0.failure }
    }

    package var timestamp: Timestamp { step.start + step.duration }

    /// Each step has times of its own.
    package var timing: JSONValue? { step.timing?.snapshot.tree }

    private var outcome: String {
        switch step.end {
        case .passed: "passed"
        case .failed: "failed"
        case .interrupted: "interrupted"
        }
    }

    /// A line for a person who uses `-v`.
    package func text(_ style: TextStyle) -> String? {
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
    package var name: String {
        switch self {
        case .setup: "setup"
        case .test: "test"
        case .cleanup, .finalCleanup: "cleanup"
        }
    }
}

extension StepFailure {
    @FieldBuilder<StepFailure>
    package static var record: [RecordField<StepFailure>] {
        ScriptPlace.record.of { $0.place }
        RecordField("step", .string, "step as it was typed") { $0.step }
        RecordField("round", orNull: .string, "round of `repeat`, as in `round 3 of 10`") { $0.round }
        RecordField("message", .string, "what happened, in words") { $0.message }
        RecordField("expected", orNull: .string, "what was expected") { $0.expected }
        RecordField("got", orNull: .string, "what came instead") { $0.got }
        RecordField("value", orNull: .tree(.hex), "bytes of the value") { $0.value.map { .string($0) } }
        RecordField("text", orNull: .string, "value in words") { $0.text }
        RecordField("notes", .array(of: .string), "what else helps") { $0.notes }
        RecordField("hint", orNull: .string, "what to do about it") { $0.hint }
        RecordField("status", .integer, "1 for an expectation, else the exit status of what broke") {
            $0.status.rawValue
        }
        RecordField("status_name", .string, "name of that status") { $0.status.name }
        RecordField("packets", .array(of: .string), "last packets to and from the device, decoded") { $0.packets }
    }

    /// The lines for a person: the place and the step, expected and actual result, the value, and other helpful facts.
    package var lines: [String] {
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
    package var packetLines: [String] {
        packets.isEmpty ? [] : ["the last packets:"] + packets.map { "  \($0)" }
    }
}

extension Timestamp {
    /// The moment on both clocks. The wall clock is computed from the start as well, so that a clock that is
    /// set during the step does not make its end earlier than its beginning.
    package static func + (start: Timestamp, duration: Duration) -> Timestamp {
        Timestamp(wall: start.wall + duration, monotonic: start.monotonic + duration)
    }
}

extension Duration {
    package var milliseconds: Int64 { clampedNanoseconds / 1_000_000 }

    /// In seconds with two digits, or in milliseconds if it is short.
    var shortText: String {
        let milliseconds = milliseconds
        guard milliseconds >= 1_000 else { return "\(milliseconds) ms" }
        let hundredths = milliseconds / 10
        let fraction = hundredths % 100
        return "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction) s"
    }
}
