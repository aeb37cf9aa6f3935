// SPDX-License-Identifier: GPL-2.0-or-later

import Testing

@Suite("--format", .startsPrograms())
struct FormatTests {
    /// A command line with its standard output.
    struct Line: Sendable, CustomTestStringConvertible {
        let command: String
        let output: String

        init(_ command: String, _ output: String) { (self.command, self.output) = (command, output) }

        var testDescription: String { command }
    }

    @Test(arguments: [
        Line("scan --count 3 --passive --format '{address}\\t{rssi}\\t{name|-}'", "C8:4B:1D:3A:90:5E\t-58\t-\n"),
        Line("read battery-level --format '{value} {decoded.battery_level} {text}'", "57 87 87 %\n"),
        Line("read battery-level -d 'Thermo 1' --format '{device.name}: {text}'", "Thermo 1: 64 %\n"),
        Line("read battery-level 0xFFF1 -d 'Pulse HR' --format '{target} {text}'", "battery-level 87 %\n"),
        Line(
            "read battery-level 0xFFF1 -d 'Pulse HR' --format '{type} {target} {status|0}'",
            """
            value battery-level 0
            error 0xFFF1 68

            """
        ),
        Line("watch heart-rate --count 1 --format '{{{decoded.heart_rate}}} {sequence}\\\\'", "{66} 1\\\n"),
        Line("adapters --format '{name} {features.0} {features}'", "hci0 le le,le-only"),
        Line("help scan --format '{command} {options.0.name}'", "scan --duration\n"),
        Line("version --format '{version}'", "0.1.0\n"),
        Line("write \(Workbench.variable) 0x0102 -d Workbench --format '{procedure} {length}'", "write-request 2\n"),
        Line("inspect 'Pulse HR' --format '{service} {characteristic} {descriptor}'", "0x180D 0x2A37 0x2902\n"),
    ])
    func `a record is a line by the template`(_ line: Line) async throws {
        let run = try await Blectl.simulate(line.command)
        #expect(run.stdout.contains(line.output), "\(run.stdout) \(run.stderr)")
    }

    @Test func `lines print records one by one`() async throws {
        let lines = try await Blectl.simulate(
            "notify heart-rate-measurement --count 20 --format '{sequence}\\t{value}'"
        )
        let records = try await Blectl.simulate("notify heart-rate-measurement --count 20 --json").records()
        let expected = records.map { "\($0["sequence"]?.integer ?? 0)\t\($0["value"]?.string ?? "")\n" }.joined()
        #expect(lines.stdout == expected)
    }

    @Test func `a kind of record that lacks a key has no line`() async throws {
        let gap = "notify heart-rate-measurement -d 'Flaky HR' --reconnect --duration 40 --format"
        let values = try await Blectl.simulate("\(gap) '{value}'").stdout.split(separator: "\n")
        #expect(values.count > 20 && values.allSatisfy { $0.count > 2 })
        let all = try await Blectl.simulate("\(gap) '{type} {value|}'").stdout
        #expect(all.contains("link-lost \n") && all.contains("link-restored \n"))
        let gaps = try await Blectl.simulate("\(gap) '{gap_ms}'").stdout
        #expect(gaps.split(separator: "\n").allSatisfy { Int($0) != nil } && !gaps.isEmpty)
    }

    @Test func `a value without a key has no line, and a key that no value had fails the command`() async throws {
        let unknown = try await Blectl.simulate("read \(Workbench.variable) -d Workbench --format 'x{decoded.level}'")
        #expect(unknown.status == 1 && unknown.stdout.isEmpty, "\(unknown)")
        #expect(unknown.stderr.contains("no record has the key 'decoded.level'"), "\(unknown.stderr)")
        let some = try await Blectl.simulate(
            "read \(Workbench.variable) appearance -d Workbench --format 'x{decoded.appearance_name}'"
        )
        #expect(some.status == 0 && some.stdout.split(separator: "\n").count == 1 && some.stderr.isEmpty, "\(some)")
    }

    @Test func `a key that no value had keeps the status of another failure, and fails a line of a shell`()
        async throws
    {
        let late = try await Blectl.simulate(
            "notify \(Workbench.ticker) -d Workbench --count 10000 --deadline 2 --format '{decoded.level}'"
        )
        #expect(late.status == 124 && late.stderr.contains("no record has the key 'decoded.level'"), "\(late)")
        let shell = try await Blectl.simulate(
            "shell -d Workbench --exit-on-error",
            input: Array("read \(Workbench.variable) --format '{decoded.level}'\nread \(Workbench.variable)\n".utf8)
        )
        #expect(shell.status == 1 && shell.stdout.isEmpty, "\(shell)")
    }

    @Test func `text from the air cannot control a terminal or end a line`() async throws {
        let run = try await Blectl.simulate("read \(Workbench.labelled)/0x2901 -d Workbench --format '{text}'")
        #expect(run.status == 0 && run.stdout.split(separator: "\n").count == 1)
        let written = try await Blectl.simulate(
            "write \(Workbench.labelled)/0x2901 'text:a\u{1B}[31m' -d Workbench --verify --format '{target}\\n{length}'"
        )
        #expect(written.stdout.split(separator: "\n").count == 2 && !written.stdout.contains("\u{1B}"))
    }

    @Test(arguments: [
        ("scan --format '{nmae}'", "did you mean 'name'?"),
        ("scan --format '{manufacturer.0.compny_id}'", "no record of 'scan' has the key"),
        ("read battery-level --format '{rssi}'", "no record of 'read' has the key 'rssi'"),
        ("read battery-level --format '{device.nam}'", "did you mean 'device.name'?"),
        ("read battery-level --format 'x{decoded.batery_level}'", "did you mean 'decoded.battery_level_percent'?"),
        ("read battery-level --format '{battery_level}'", "did you mean 'decoded.battery_level_percent'?"),
        ("watch heart-rate --format '{heart_rate_bpm}'", "did you mean 'decoded.heart_rate_bpm'?"),
        ("inspect x --format '{properties} {descriptor}'", "no record of 'inspect' has all of these keys"),
        ("scan --format '{device.address} {rssi}'", "'advertisement' has no 'device.address'"),
        ("scan --format name", "expected a key in braces"), ("scan --format '{name'", "a key ends with a brace"),
        ("scan --format '{}'", "expected a key"), ("scan --format '{name}\\q'", "a backslash"),
        ("scan --format '{name}' --json", "'--format' and '--json' cannot be used together"),
    ])
    func `a template without a meaning is refused`(_ command: String, _ message: String) async throws {
        let run = try await Blectl.simulate(command)
        // Where the template is not used, --json still asks for the record of the failure.
        #expect(run.status == 64 && run.stdout.isEmpty == !command.hasSuffix("--json"))
        #expect(run.stderr.contains(message), "\(run.stderr)")
    }
}
