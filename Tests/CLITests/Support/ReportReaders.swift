// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses

/// Reads the reports of scripts as CI servers do, with programs that others wrote: junitparser and tap.py.
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
        print("junit", suites.tests, suites.failures, suites.errors, suites.skipped)
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

    /// Whether they are installed; `make test` installs them.
    static var areInstalled: Bool {
        get async throws {
            try await ProgramSlots.use { _ in try await shell("\(findPython); [ \"$python\" ]").status == 0 }
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
