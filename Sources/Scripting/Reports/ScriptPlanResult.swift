// SPDX-License-Identifier: GPL-2.0-or-later

package import Records
package import Terminal

/// The plan of a script: the result of `--dry-run`.
package struct ScriptPlanResult: RecordedResult {
    package let script: Script
    package let timestamp: Timestamp

    package init(script: Script, timestamp: Timestamp) {
        self.script = script
        self.timestamp = timestamp
    }

    package static let record = RecordKind<Self>("script-plan", "what a script would do") {
        RecordField("script", .string, "path of the script") { $0.script.name }
        RecordField("devices", .array(of: .string), "names of its devices") { $0.script.devices.map(\.name) }
        RecordField("setup", .array(of: .string), "steps before the first test") { $0.script.setup.map(\.text) }
        RecordField("tests", .array(of: .object(ScriptTest.record)), "its tests") { $0.script.tests }
        RecordField("cleanup", .array(of: .string), "steps that run at the end in any case") {
            $0.script.cleanup.map(\.text)
        }
    }

    package func text(_ style: TextStyle) -> String? {
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

extension ScriptTest {
    /// A test in the plan. It has the statement of a repetition without its steps; the text for a person has both.
    @FieldBuilder<ScriptTest>
    fileprivate static var record: [RecordField<ScriptTest>] {
        RecordField("test", .string, "its name") { $0.name }
        ScriptPlace.record.of { $0.place }
        RecordField("steps", .array(of: .string), "its steps") { $0.steps.map(\.text) }
        RecordField("cleanup", .array(of: .string), "steps that run after it in any case") {
            $0.cleanup.map(\.text)
        }
    }
}

extension ScriptPlace {
    @FieldBuilder<ScriptPlace>
    package static var record: [RecordField<ScriptPlace>] {
        RecordField("file", .string, "file of the script") { $0.file }
        RecordField("line", .integer, "line in it") { $0.line }
    }
}
