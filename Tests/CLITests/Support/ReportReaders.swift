// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses

/// Reads the reports of scripts as CI servers do, with programs that others wrote: junitparser, tap.py, prove and xmllint.
enum ReportReaders {
    /// A Python that has both: the one of PATH, or Debian's.
    private static let findPython = """
        for python in python3 /usr/bin/python3; do $python -c 'import junitparser, tap.parser' 2>/dev/null && break; python=; done
        """

    private static let program = """
        import sys
        from junitparser import JUnitXml
        from tap.parser import Parser
        suites = JUnitXml.fromfile(sys.argv[1])
        print("junit", suites.tests, suites.failures, suites.errors, sum(suite.skipped for suite in suites))
        for suite in suites:
            for case in suite:
                results = "+".join(type(result).__name__ for result in case.result) or "Success"
                print("junit", results, case.name)
        for line in Parser().parse_file(sys.argv[2]):
            if line.category == "plan":
                print("tap", line.expected_tests)
            elif line.category == "test":
                print("tap", "Skipped" if line.skip else "ok" if line.ok else "not ok", line.description.lstrip("- "))
            elif line.category == "unknown" and line.text.strip():
                print("tap unknown", line.text)
        """

    /// What prove says against a report in TAP; for one in JUnit's XML, what xmllint says by the schema of Jenkins, and of each
    /// suite by that of Surefire.
    static func complaints(junit: String, tap: String) async throws -> [String] {
        let schemas = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Schemas").standardized
            .path
        let run = try await shell(
            """
            prove -e cat "$TAP" >"$TAP.prove" 2>&1 || grep -E 'Parse errors|error|subtests' "$TAP.prove" | sed 's/^ */prove: /; s/ *$//'
            xmllint --noout --schema "$SCHEMAS/junit-10.xsd" "$JUNIT" 2>&1 | grep -v ' validates$'
            number=1
            while xmllint --xpath "/testsuites/testsuite[$number]" "$JUNIT" >"$JUNIT.suite" 2>/dev/null; do
                xmllint --noout --schema "$SCHEMAS/surefire-test-report.xsd" "$JUNIT.suite" 2>&1 | grep -v ' validates$'
                number=$((number + 1))
            done
            [ "$number" -gt 1 ] || echo "no suite"
            """,
            ["SCHEMAS": schemas, "JUNIT": junit, "TAP": tap]
        )
        return run.stdout.split(separator: "\n").map(String.init)
    }

    /// Whether they are installed; `make test` installs them.
    static var areInstalled: Bool {
        get async throws {
            try await ProgramSlots.use { _ in
                try await shell("\(findPython); [ \"$python\" ] && command -v prove xmllint >/dev/null").status == 0
            }
        }
    }

    /// What they find in a report of each kind: for each the totals, then a line for each test.
    static func lines(junit: String, tap: String) async throws -> [String] {
        let run = try await shell(
            "\(findPython); $python -c \"$PROGRAM\" \"$JUNIT\" \"$TAP\"",
            ["PROGRAM": program, "JUNIT": junit, "TAP": tap]
        )
        guard run.status == 0 else { return ["they failed: \(run.stderr)"] }
        return run.stdout.split(separator: "\n").map(String.init)
    }

    private static func shell(_ script: String, _ variables: [String: String] = [:]) async throws -> BlectlRun {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        return try await Blectl.shell(script, environment: variables.merging(["PATH": path]) { $1 })
    }
}
