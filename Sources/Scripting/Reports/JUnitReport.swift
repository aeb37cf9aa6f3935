// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost
import CommandLineInterface
import Records

/// A run as the XML that CI servers read as JUnit's: a suite for each script. It is valid by junit-10.xsd of Jenkins, and each
/// suite by Surefire's surefire-test-report.xsd. Neither has a place for that of a test, which is in the text of its failure.
package struct JUnitReport {
    package let scripts: [ScriptReport]
    package let facts: RunFacts

    package init(scripts: [ScriptReport], facts: RunFacts) {
        self.scripts = scripts
        self.facts = facts
    }

    /// The report, with a line feed at its end.
    package var text: String {
        let time = scripts.reduce(Duration.zero) { $0 + $1.duration }
        var lines = ["<?xml version=\"1.0\" encoding=\"UTF-8\"?>"]
        let figures = Self.figures(scripts, time).filter { $0.0 != "skipped" }
        lines.append("<testsuites\(Self.attributes([("name", "blectl")] + figures))>")
        for script in scripts { lines += suite(script) }
        return (lines + ["</testsuites>"]).map { $0 + "\n" }.joined()
    }

    private func suite(_ script: ScriptReport) -> [String] {
        let attributes = [("name", script.name)] + Self.figures([script], script.duration)
        var lines = ["  <testsuite\(Self.attributes(attributes))>", "    <properties>"]
        // The run as a whole has no place for properties in this XML, so each suite repeats them. A suite of Surefire has no
        // attribute for its moment.
        lines += (facts.properties + [("blectl.start", script.start.wall.description)]).map {
            "      <property\(Self.attributes([("name", $0.name), ("value", $0.value)]))/>"
        }
        lines.append("    </properties>")
        for (index, test) in script.tests.enumerated() {
            let interruption = index == script.interruptedTest ? script.interruption : nil
            lines += Self.lines(test, of: script.name, interruptedBy: interruption)
        }
        return lines + ["  </testsuite>"]
    }

    /// The element of a test. JUnit distinguishes a failed expectation (`failure`) from a broken test (`error`), and
    /// holds only the first of them. A test that was cut off is an error.
    private static func lines(
        _ test: TestReport,
        of script: String,
        interruptedBy interruption: RunInterruption?
    ) -> [String] {
        let head = attributes([
            ("classname", script), ("name", test.name), ("time", seconds(test.duration)),
        ])
        switch test.verdict {
        case .passed: return ["    <testcase\(head)/>"]
        case .skipped(let reason):
            let about = [("message", reason)] + (interruption.map { [("type", $0.status.name)] } ?? [])
            let element = interruption == nil ? "skipped" : "error"
            return ["    <testcase\(head)>", "      <\(element)\(attributes(about))/>", "    </testcase>"]
        case .failed(let failures):
            var lines = ["    <testcase\(head)>"]
            if let first = failures.first {
                let element = first.kind == .unmet ? "failure" : "error"
                let about = attributes([("message", first.message), ("type", first.status.name)])
                let text = failures.flatMap(\.lines).joined(separator: "\n")
                lines.append("      <\(element)\(about)>\(escaped(text))</\(element)>")
            }
            let packets = failures.flatMap(\.packetLines).joined(separator: "\n")
            if !packets.isEmpty { lines.append("      <system-out>\(escaped(packets))</system-out>") }
            return lines + ["    </testcase>"]
        }
    }

    private static func figures(_ scripts: [ScriptReport], _ time: Duration) -> [(String, String)] {
        let tests = scripts.flatMap(\.tests)
        let interrupted = scripts.count { $0.interruptedTest != nil }
        // JUnit counts tests, and not failures: the first failure of a test decides to which of the two counts
        // it adds.
        let kinds = tests.compactMap { $0.failures.first?.kind }
        let unmet = kinds.count { $0 == .unmet }
        let skipped = tests.count { if case .skipped = $0.verdict { true } else { false } }
        return [
            ("tests", "\(tests.count)"), ("failures", "\(unmet)"), ("errors", "\(kinds.count - unmet + interrupted)"),
            ("skipped", "\(skipped - interrupted)"), ("time", seconds(time)),
        ]
    }

    /// The time in seconds with three digits after the point. JUnit has no other unit.
    private static func seconds(_ duration: Duration) -> String {
        let milliseconds = duration.milliseconds
        let fraction = String(milliseconds % 1_000)
        return "\(milliseconds / 1_000).\(String(repeating: "0", count: 3 - fraction.count))\(fraction)"
    }

    private static func attributes(_ pairs: [(String, String)]) -> String {
        pairs.map { " \($0)=\"\(escaped($1))\"" }.joined()
    }

    /// The text in XML 1.0. Characters that it does not allow are replaced by U+FFFD.
    package static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            // As references, because a reader of XML turns these characters into blanks where they stand in an
            // attribute.
            case "\n", "\t", "\r": escaped += "&#\(scalar.value);"
            case "\u{0}"..<"\u{20}", "\u{FFFE}", "\u{FFFF}": escaped.unicodeScalars.append("\u{FFFD}")
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
