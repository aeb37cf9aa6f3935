// SPDX-License-Identifier: GPL-2.0-or-later

/// The plan of a script: the result of `--dry-run`.
struct ScriptPlanResult: RecordedResult {
    let script: Script
    let timestamp: Timestamp

    var record: Record {
        Record(
            "script-plan",
            at: timestamp,
            [
                "cleanup": .array(script.cleanup.map { .string($0.text) }),
                "devices": .array(script.devices.map { .string($0.name) }),
                "script": .string(script.name),
                "setup": .array(script.setup.map { .string($0.text) }),
                "tests": .array(
                    script.tests.map { test in
                        .object([
                            "cleanup": .array(test.cleanup.map { .string($0.text) }),
                            "file": .string(test.place.file),
                            "line": .integer(Int64(test.place.line)),
                            // The record has the statement of a repetition without its steps. The text for a
                            // person has both.
                            "steps": .array(test.steps.map { .string($0.text) }),
                            "test": .string(test.name),
                        ])
                    }
                ),
            ]
        )
    }

    func text(_ style: TextStyle) -> String? {
        var lines = [style.paint(TerminalText.escaped(script.name), .bold)]
        for device in script.devices { lines.append("  device \(TerminalText.escaped(device.name))") }
        lines += Self.section("setup", script.setup)
        for test in script.tests {
            lines.append("  test \(Prose.quoted(test.name))")
            lines += Self.steps(test.steps, depth: 2)
            if !test.cleanup.isEmpty { lines.append("    cleanup") }
            lines += Self.steps(test.cleanup, depth: 3)
        }
        lines += Self.section("cleanup", script.cleanup)
        return lines.joined(separator: "\n")
    }

    private static func section(_ name: String, _ steps: [ScriptStep]) -> [String] {
        steps.isEmpty ? [] : ["  \(name)"] + Self.steps(steps, depth: 2)
    }

    private static func steps(_ steps: [ScriptStep], depth: Int) -> [String] {
        steps.flatMap { step in
            let line = String(repeating: "  ", count: depth) + TerminalText.escaped(step.text)
            guard case .repeat(_, _, let inner) = step.action else { return [line] }
            return [line] + Self.steps(inner, depth: depth + 1)
        }
    }
}
