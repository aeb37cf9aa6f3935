// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Records
import Terminal

/// A run in the Test Anything Protocol, version 13 (testanything.org/tap-version-13-specification.html). Debian's prove knows no
/// later one, and nothing here needs one.
package struct TAPReport {
    package let scripts: [ScriptReport]
    package let facts: RunFacts

    package init(scripts: [ScriptReport], facts: RunFacts) {
        self.scripts = scripts
        self.facts = facts
    }

    /// The report, with a line feed at its end.
    package var text: String {
        let count = scripts.reduce(0) { $0 + $1.tests.count }
        var lines = ["TAP version 13"]
        lines += facts.properties.map { "# \(Self.line("\($0.name): \($0.value)"))" }
        // TAP has this directive for a plan of no tests, with the reason after it.
        lines.append("1..\(count)" + (count == 0 ? " # SKIP no test was chosen" : ""))
        var number = 0
        for script in scripts {
            lines.append("# \(Self.line(script.name))")
            for (index, test) in script.tests.enumerated() {
                number += 1
                lines += Self.lines(test, number, isInterrupted: index == script.interruptedTest)
            }
        }
        if scripts.end == .interrupted { lines.append("Bail out! \(ScriptProgress.interruption)") }
        return lines.map { $0 + "\n" }.joined()
    }

    /// The line of a test, with a diagnosis in YAML after it. Failures after the first one come from the cleanup, or
    /// from a stream.
    ///
    /// - Parameter isInterrupted: Whether the interruption of the run has cut the test off.
    private static func lines(_ test: TestReport, _ number: Int, isInterrupted: Bool) -> [String] {
        let name = description(test.name)
        switch test.verdict {
        case .passed:
            return ["ok \(number) - \(name)", "  ---", "  duration_ms: \(test.duration.milliseconds)", "  ..."]
        case .skipped(let reason) where isInterrupted:
            return [
                "not ok \(number) - \(name)", "  ---", "  duration_ms: \(test.duration.milliseconds)",
                "  message: \(quoted(reason))", "  severity: error", "  ...",
            ]
        // A skipped test is `ok` with a directive: TAP has no third outcome.
        case .skipped(let reason): return ["ok \(number) - \(name) # SKIP \(description(reason))"]
        case .failed(let failures):
            var lines = ["not ok \(number) - \(name)", "  ---", "  duration_ms: \(test.duration.milliseconds)"]
            guard let first = failures.first else { return lines + ["  ..."] }
            lines += diagnosis(of: first)
            lines += block("cleanup", failures.dropFirst().map { "\($0.place.file):\($0.place.line): \($0.message)" })
            return lines + ["  ..."]
        }
    }

    private static func diagnosis(of failure: StepFailure) -> [String] {
        var lines = [
            "  message: \(quoted(failure.message))",
            "  severity: \(failure.kind == .unmet ? "fail" : "error")",
            "  status: \(failure.status.rawValue)",
            "  at:",
            "    file: \(quoted(failure.place.file))",
            "    line: \(failure.place.line)",
            "  step: \(quoted(failure.step))",
        ]
        let more = [
            ("round", failure.round), ("expected", failure.expected), ("got", failure.got), ("value", failure.value),
            ("text", failure.text), ("hint", failure.hint),
        ]
        for case (let name, let value?) in more { lines.append("  \(name): \(quoted(value))") }
        return lines + block("notes", failure.notes) + block("packets", failure.packets)
    }

    /// Several lines as a literal block: in a list, prove takes a line that begins with a word and a colon for a mapping, also
    /// in quotes. Empty without a line.
    private static func block(_ name: String, _ texts: [String]) -> [String] {
        texts.isEmpty ? [] : ["  \(name): |"] + texts.map { "    \(line($0))" }
    }

    /// A text as the description of a test, in which a number sign would begin a directive.
    private static func description(_ text: String) -> String {
        var escaped = ""
        for character in line(text) {
            if character == "#" || character == "\\" { escaped += "\\" }
            escaped.append(character)
        }
        return escaped
    }

    /// The text without control characters. A line feed would begin another line of the protocol.
    private static func line(_ text: String) -> String { TerminalText.escaped(text) }

    /// A text in double quotes, as YAML and JSON have it.
    private static func quoted(_ text: String) -> String {
        var json = JSONWriter()
        json.string(text)
        return String(decoding: json.bytes, as: UTF8.self)
    }
}
