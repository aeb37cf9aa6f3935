// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import BluetoothProfiles
import Terminal
import Testing

@testable import CommandLineInterface
@testable import Records
@testable import Scripting
@testable import Toolkit

@Suite("Reports of a run")
struct ReportTests {
    private static let start = Timestamp(
        wall: WallTime(nanosecondsSince1970: 1_700_000_000_000_000_000),
        monotonic: .zero
    )

    private static let failure: StepFailure = {
        var failure = StepFailure.unmet("battery_level in 90..100", got: "battery_level is 87")
        failure.value = "57"
        failure.text = "87 %"
        failure.step = "read strap battery-level expect \"<90..100>\""
        failure.place = ScriptPlace(file: "rig.blectl", line: 4)
        failure.packets = ["0.1 > att Read \u{1}& more"]
        return failure
    }()

    private static let report: [ScriptReport] = {
        func test(_ name: String, _ verdict: ScriptProgress.Verdict) -> TestReport {
            TestReport(
                name: name,
                place: ScriptPlace(file: "rig.blectl", line: 3),
                verdict: verdict,
                start: start,
                duration: .milliseconds(1_250),
                stepCount: 2
            )
        }
        let broken = StepFailure(BlectlError(.notFound, "no device", hint: "look again"))
        return [
            ScriptReport(
                name: "rig.blectl",
                start: start,
                duration: .milliseconds(3_751),
                tests: [
                    test("is \"#1\" & <more>", .passed), test("charge", .failed([failure])),
                    test("device", .failed([broken, failure])), test("rest", .skipped("an earlier test failed")),
                ]
            )
        ]
    }()

    private static var facts: RunFacts {
        var options = GlobalOptions()
        options.radio = .simulation(.virtual)
        options.simulationSeed = 7
        return RunFacts(options)
    }

    @Test func `TAP 13`() {
        let expected = """
            TAP version 13
            # blectl.version: \(Program.version)
            # blectl.radio: simulation, virtual time
            # blectl.seed: 7
            1..4
            # rig.blectl
            ok 1 - is "\\#1" & <more>
              ---
              duration_ms: 1250
              ...
            not ok 2 - charge
              ---
              duration_ms: 1250
              message: "expected battery_level in 90..100, got battery_level is 87"
              severity: fail
              status: 1
              at:
                file: "rig.blectl"
                line: 4
              step: "read strap battery-level expect \\"<90..100>\\""
              expected: "battery_level in 90..100"
              got: "battery_level is 87"
              value: "57"
              text: "87 %"
              packets: |
                0.1 > att Read \\u{1}& more
              ...
            not ok 3 - device
              ---
              duration_ms: 1250
              message: "no device"
              severity: error
              status: 68
              at:
                file: ""
                line: 0
              step: ""
              hint: "look again"
              cleanup: |
                rig.blectl:4: expected battery_level in 90..100, got battery_level is 87
              ...
            ok 4 - rest # SKIP an earlier test failed

            """
        #expect(TAPReport(scripts: Self.report, facts: Self.facts).text == expected)
    }

    @Test func `JUnit's XML`() {
        let text = JUnitReport(scripts: Self.report, facts: Self.facts).text
        let lines = text.split(separator: "\n").map(String.init)
        #expect(lines[0] == "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")
        #expect(
            lines[1]
                == "<testsuites name=\"blectl\" tests=\"4\" failures=\"1\" errors=\"1\" time=\"3.751\">"
        )
        #expect(
            lines.contains("      <property name=\"blectl.start\" value=\"2023-11-14T22:13:20.000000Z\"/>"),
            "\(lines)"
        )
        #expect(lines.contains("      <property name=\"blectl.seed\" value=\"7\"/>"))
        #expect(
            lines.contains(
                "    <testcase classname=\"rig.blectl\" name=\"is &quot;#1&quot; &amp; &lt;more&gt;\""
                    + " time=\"1.250\"/>"
            )
        )
        #expect(
            text.contains(
                "<failure message=\"expected battery_level in 90..100, got battery_level is 87\" type=\"expectation-failed\">rig.blectl:4: "
            )
        )
        #expect(text.contains("<error message=\"no device\" type=\"not-found\">"))
        #expect(text.contains("<skipped message=\"an earlier test failed\"/>"))
        #expect(text.contains("<system-out>the last packets:&#10;  0.1 &gt; att Read \u{FFFD}&amp; more</system-out>"))
        #expect(text.hasSuffix("</testsuites>\n"))
    }

    @Test func `annotations of GitHub, with what would end a property or a line escaped`() {
        var scripts = Self.report
        scripts[0].tests[1].name = "50%: a, b"
        let lines = GitHubReport(scripts: scripts).text.split(separator: "\n").map(String.init)
        #expect(
            lines.first
                == "::error file=rig.blectl,line=4,title=50%25%3A a%2C b::rig.blectl:4: read strap battery-level expect "
                + "\"<90..100>\"%0A  expected  battery_level in 90..100%0A  got       battery_level is 87%0A  value     57  "
                + "(87 %25)"
        )
        // The failure of a test, and that of its cleanup.
        #expect(lines.count == 3 && lines.allSatisfy { $0.hasPrefix("::error file=") }, "\(lines)")
    }

    @Test func `an interrupted run has not passed`() {
        var scripts = Self.report
        for index in scripts[0].tests.indices { scripts[0].tests[index].verdict = .passed }
        for index in 2...3 { scripts[0].tests[index].verdict = .skipped(ScriptProgress.interruption) }
        scripts[0].interruption = .signal
        let tap = TAPReport(scripts: scripts, facts: Self.facts).text.split(separator: "\n").map(String.init)
        let tests = tap.filter { $0.hasPrefix("ok ") || $0.hasPrefix("not ok ") }
        #expect(tests.dropFirst(2) == ["not ok 3 - device", "ok 4 - rest # SKIP interrupted"])
        #expect(tap.contains("  message: \"interrupted\"") && tap.last == "Bail out! interrupted")
        let junit = JUnitReport(scripts: scripts, facts: Self.facts).text
        #expect(junit.contains("tests=\"4\" failures=\"0\" errors=\"1\" skipped=\"1\""), "\(junit)")
        #expect(GitHubReport(scripts: scripts).text == "::error file=rig.blectl,line=3,title=device::interrupted\n")
        #expect(junit.contains("      <error message=\"interrupted\" type=\"interrupted\"/>\n"), "\(junit)")
        let end = ScriptEndResult(scripts: scripts, timestamp: Self.start)
        let record = end.recordKind.tree(of: end)
        #expect(record["status"] == .number(130) && record["status_name"] == .string("interrupted"))
        #expect(end.text(.plain)?.hasPrefix("interrupted; 4 tests: 2 passed, 2 skipped in ") == true)
        // The deadline ends the run with its own status, also where it came between two steps.
        scripts[0].interruption = .deadline
        #expect(scripts.end == RunStatus(.timedOut))
    }

    @Test func `the status is that of the first failed step`() {
        #expect(Self.report.status == .notFound)
        #expect([ScriptReport]().status == .success)
        #expect((Self.report[0].passedCount, Self.report[0].failedCount, Self.report[0].skippedCount) == (1, 2, 1))
    }
}
