// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

/// The shell with lines from a pipe or a file.
@Suite("blectl shell, without a terminal", .startsPrograms())
struct ShellTests {
    private func run(_ lines: [String], _ options: String = "") async throws -> BlectlRun {
        try await Blectl.simulate("shell \(options)", input: Array(lines.map { "\($0)\n" }.joined().utf8))
    }

    @Test func `lines run one at a time, on one link, and nothing else is printed`() async throws {
        let lines = [
            "# a comment", "", "read battery-level", "write heart-rate-control-point 01",
            "blectl read model-number-string",
            "read battery-level --format '{handle} {text}'",
        ]
        let run = try await run(lines, "-d 'Pulse HR' -vv")
        #expect(run.status == 0, "\(run.stderr)")
        #expect(run.stdout == "87 %\nPulse HR 2\n24 87 %\n")
        let connections = run.stderr.split(separator: "\n").filter { $0.contains("LE Enhanced Connection Complete") }
        let reads = run.stderr.split(separator: "\n").filter {
            $0.contains("> att") && $0.contains("Read By Type Request")
        }
        #expect(connections.count <= 1)
        #expect(reads.count >= 3)
    }

    @Test func `lines of the command line run instead of standard input, on one connection`() async throws {
        let words = [
            "shell", "Pulse HR", "-c", "write 2a39 01", "-c", "read battery-level", "-c", "read nonsense", "-vv",
        ]
        let run = try await Blectl.run(Blectl.virtual + words, input: Array("frobnicate\n".utf8))
        #expect(run.status == 64 && run.stdout == "87 %\n", "\(run.stderr)")
        #expect(!run.stderr.contains("frobnicate"))
        #expect(run.stderr.split(separator: "\n").count { $0.contains("LE Enhanced Connection Complete") } <= 1)
    }

    @Test func `kill is another word for stop, and clear leaves a file alone`() async throws {
        let run = try await run(["notify heart-rate-measurement &", "clear", "kill 1", "kill 7"], "-d 'Pulse HR'")
        #expect(run.status == 64 && run.stderr.contains("no command '7' runs in the background"), "\(run.stderr)")
        #expect(!run.stdout.contains("\u{1B}"))
    }

    @Test func `the same lines give the same output in virtual time`() async throws {
        let lines = ["notify heart-rate-measurement -n 5 &", "read battery-level", "wait", "scan --duration 2"]
        let first = try await run(lines, "-d 'Pulse HR' --json")
        let second = try await run(lines, "-d 'Pulse HR' --json")
        #expect(first.stdout == second.stdout)
        #expect(try first.records().count { $0["type"]?.string == "notification" } == 5)
    }

    @Test func `a failed line stops no other, and the status is that of the last line`() async throws {
        let lines = ["read nonsense", "read 'a", "frobnicate", "read battery-level", "read glucose-measurement"]
        let run = try await run(lines, "-d 'Pulse HR'")
        #expect(run.status == 68, "\(run.stderr)")
        #expect(run.stdout == "87 %\n")
        #expect(run.stderr.split(separator: "\n").count { $0.hasPrefix("blectl: ") } == 4, "\(run.stderr)")
        let last = try await self.run(lines + ["read battery-level"], "-d 'Pulse HR'")
        #expect(last.status == 0)
    }

    @Test func `a long line of the command line is not standard input`() async throws {
        let run = try await Blectl.simulate("shell -c '\(String(repeating: "x", count: 5_000))'")
        #expect(run.status == 65, "\(run)")
        #expect(run.stderr == "blectl: cannot read the command line: line 1 is longer than 4096 octets\n", "\(run)")
    }

    @Test func `a missing device does not replace the present one`() async throws {
        let run = try await run(["connect Nobody", "read battery-level", "read --bogus"], "-d 'Pulse HR'")
        #expect(run.stdout == "87 %\n", "\(run.stderr)")
        // A line has no name of the program.
        #expect(run.stderr.hasSuffix("hint: see 'help read'\n"), "\(run.stderr)")
    }

    @Test func `a device that was not found is not added to the shell`() async throws {
        let lines = ["connect Nobody", "read battery-level -d Nobody", "links", "use Nobody"]
        let run = try await run(lines, "-d 'Pulse HR'")
        #expect(run.stdout == "", "\(run)")
        #expect(run.stderr.contains("'Nobody' is not a device of this shell"), "\(run.stderr)")
        // Nor is it the one that lines without a device mean.
        let other = try await self.run(["connect Nobody", "links", "read battery-level -d 'Pulse HR'", "links"], "")
        #expect(other.stdout.split(separator: "\n").count == 2, "\(other)")
        #expect(!other.stdout.contains("Nobody"), "\(other)")
    }

    @Test func `a line with --redact shows no value, name or octet, and the next one shows them`() async throws {
        let secret = "topsecret"
        let digits = secret.utf8.map { String($0, radix: 16) }.joined()
        let redacted = "write \(Workbench.long) text:\(secret) -d Workbench -v --redact"
        let run = try await run([redacted, "read 0xFFF1 --redact", "read \(Workbench.long) -v", "read 0xFFF1"])
        let lines = run.stderr.split(separator: "\n")
        let writes = lines.filter { $0.contains(" > att ") && $0.contains("Write Request") }
        #expect(writes.count == 1 && writes[0].hasSuffix("\(secret.utf8.count) octets"), "\(run.stderr)")
        #expect(lines.contains { $0.contains(" < att ") && $0.contains(digits) }, "\(run.stderr)")
        let errors = lines.filter { $0.hasPrefix("blectl: cannot read 0xFFF1") }
        #expect(errors.map { $0.contains("Workbench") } == [false, true], "\(run.stderr)")
    }

    @Test func `a line with --redact that fails shows no name, and the next one does`() async throws {
        let line = "read battery-level -d 'Anna*'"
        let run = try await run(["\(line) --redact", line])
        let errors = run.stderr.split(separator: "\n").filter { $0.hasPrefix("blectl: ") }
        #expect(errors.map { $0.contains("Anna") } == [false, true], "\(run.stderr)")
        let shell = try await self.run([line, "use 'Berta*'", "use Carla"], "--redact")
        #expect(shell.status == 64 && shell.stderr.split(separator: "\n").count { $0.hasPrefix("blectl: ") } == 3)
        #expect(!["Anna", "Berta", "Carla"].contains { shell.stderr.contains($0) }, "\(shell.stderr)")
    }

    @Test func `a line with --redact has zeros in the shell's capture, and nothing in its diagram`() async throws {
        try await TemporaryFolder.use { folder in
            let (capture, diagram) = (folder.appending(path: "run.btsnoop"), folder.appending(path: "run.txt"))
            let (secret, open) = ("topsecret", "openvalue")
            let lines = [
                "write \(Workbench.long) text:\(secret) --redact &", "wait", "write \(Workbench.long) text:\(open)",
            ]
            let run = try await run(
                lines,
                "-d Workbench --capture \(capture.path) --diagram \(diagram.path)"
            )
            #expect(run.status == 0, "\(run.stderr)")
            let octets = try Data(contentsOf: capture)
            #expect(octets.range(of: Data(secret.utf8)) == nil && octets.range(of: Data(open.utf8)) != nil)
            let picture = try String(contentsOf: diagram, encoding: .utf8)
            let digits = [secret, open].map { word in word.utf8.map { String($0, radix: 16) }.joined() }
            #expect(!picture.contains(digits[0]) && picture.contains(digits[1]), "\(picture)")
        }
    }

    @Test func `it ends after the first failure if that is wanted`() async throws {
        let run = try await run(
            ["read battery-level", "read nonsense", "read battery-level"],
            "-d 'Pulse HR' --exit-on-error"
        )
        #expect(run.status == 64)
        #expect(run.stdout == "87 %\n")
    }

    @Test func `exit has a status`() async throws {
        #expect(try await run(["exit 75", "read battery-level"]).status == 75)
        #expect(try await run(["exit"]).status == 0)
        #expect(try await run(["exit soon"]).status == 64)
    }

    @Test func `the connected device is paired with on its link, by name or without`() async throws {
        for line in ["pair", "pair 'Just Works'"] {
            let input = ["connect 'Just Works'", line, "read battery-level --security medium", "links"]
            let run = try await Blectl.run(
                ["--simulate=security", "--simulate-time", "virtual", "shell"],
                input: Array(input.map { "\($0)\n" }.joined().utf8)
            )
            #expect(run.status == 0, "\(line): \(run.stderr)")
            #expect(run.stdout.contains("paired with Just Works (C5:EC:00:00:00:01) by just works"), "\(line)")
            #expect(run.stdout.contains("80 %"), "\(line): \(run.stdout)")
        }
    }

    @Test func `several devices are linked at the same time`() async throws {
        let lines = [
            "read battery-level -d 'Pulse HR'", "connect 'Thermo 1'", "read temperature-type", "links",
            "read battery-level -d 'Pulse HR'", "use 'pulse hr'", "disconnect 'Thermo 1'", "links", "use Nobody",
        ]
        let run = try await run(lines)
        #expect(run.status == 64)
        #expect(run.stderr.contains("'Nobody' is not a device of this shell"))
        let expected = [
            "87 %", "body", "  Pulse HR (\(World.strap))  connected", "* Thermo 1 (A4:C1:38:5D:27:F1)  connected",
            "87 %",
            "* Pulse HR (\(World.strap))  connected", "  Thermo 1 (A4:C1:38:5D:27:F1)  not connected",
        ]
        #expect(run.stdout.split(separator: "\n").map(String.init) == expected, "\(run.stdout)")
    }

    @Test func `diff compares the connected device over its link`() async throws {
        for word in ["device:C8:4B:1D:3A:90:5E", "'Pulse HR'"] {
            let diff = "diff pulse-strap \(word) --ignore-values"
            let lines = ["read battery-level", diff, "read battery-level"]
            let run = try await run(lines, "-d 'Pulse HR' -vv --exit-on-error")
            #expect(run.status == 0, "\(word): \(run)")
            #expect(run.stdout.split(separator: "\n").count { $0 == "87 %" } == 2, "\(word): \(run)")
            let trace = run.stderr.split(separator: "\n")
            #expect(trace.count { $0.contains("LE Enhanced Connection Complete") } <= 1, "\(word): \(run.stderr)")
        }
    }

    @Test func `measurements and channels use the connected device, without a search`() async throws {
        let lines = [
            "read battery-level", "bench read battery-level --count 3",
            "bench read battery-level -d 'pulse hr' --count 3",
            "connect Workbench", "bench l2cap --psm 128 --count 2", "bench l2cap --psm 128 --count 2 -d Workbench",
            "l2cap connect --psm 128 -d Workbench", "links",
        ]
        let run = try await run(lines, "-d 'Pulse HR' --exit-on-error -vv")
        #expect(run.status == 0, "\(run.stderr)")
        let output = run.stdout.split(separator: "\n")
        for result in ["): 3 in ", "): 2 in "] {
            #expect(output.count { $0.contains(result) } == 2, "\(run.stdout)")
        }
        #expect(output.suffix(2).allSatisfy { $0.hasSuffix("  connected") }, "\(run.stdout)")
        // Each socket of the shell shows an event, so that only the handles are counted.
        let handles = run.stderr.split(separator: "\n").compactMap { line -> Substring? in
            guard let range = line.range(of: "LE Enhanced Connection Complete: connection ") else { return nil }
            return line[range.upperBound...].prefix(6)
        }
        #expect(Set(handles).count == 2, "\(run.stderr)")
        // Each frame is shown once.
        let requests = run.stderr.split(separator: "\n").filter { $0.contains("LE Credit Based Connection Request") }
        #expect(requests.count == 3, "\(run.stderr)")
    }

    @Test func `a service that the connected device does not advertise at present selects it`() async throws {
        let read = "read battery-level --service heart-rate"
        let lines = ["read battery-level -d 'Pulse HR'", "connect 'Thermo 1'", read, "links"]
        let run = try await run(lines, "--exit-on-error")
        #expect(run.status == 0, "\(run.stderr)")
        #expect(run.stdout.hasPrefix("87 %\n87 %\n"), "\(run.stdout)")
        // The other one has no such service, and neither has a device that is not there.
        let other = try await self.run(["connect 'Thermo 1'", read, "links"])
        #expect(other.stdout.split(separator: "\n").count == 3, "\(other)")
        let none = try await self.run(["connect 'Thermo 1'", "read 2a19 --service 1234 --timeout 1"])
        #expect(none.status == 68, "\(none)")
    }

    @Test func `a script takes over the device, and returns it`() async throws {
        let script = """
            device strap --name 'Pulse *' --service heart-rate
            test "has charge"
              read strap battery-level expect 87
            """
        try await TemporaryFolder.use { folder in
            let file = folder.appendingPathComponent("charge.blectl")
            try Data(script.utf8).write(to: file)
            let lines = ["read battery-level", "run '\(file.path)'", "read battery-level"]
            let run = try await run(lines, "-d 'Pulse HR' --exit-on-error")
            #expect(run.status == 0, "\(run)")
            #expect(run.stdout.split(separator: "\n").count { $0 == "87 %" } == 2, "\(run.stdout)")
            // What runs in the background keeps its link.
            let busy = ["notify 2a37 &", "read 2a19", "run '\(file.path)'", "read 2a19"]
            let refused = try await self.run(busy, "-d 'Pulse HR'")
            let note = "the link to Pulse HR stays with a command in the background"
            #expect(refused.stderr.contains(note), "\(refused)")
            #expect(refused.status == 0, "\(refused)")
        }
    }

    @Test(arguments: [(line: " -d nosuch", shell: ""), (line: "", shell: "-d nosuch")])
    func `a search is limited by its line`(_ device: (line: String, shell: String)) async throws {
        let read = "read battery-level\(device.line)"
        let run = try await run(["\(read) --timeout 1", read], device.shell)
        #expect(run.status == 68)
        let messages = run.stderr.split(separator: "\n").filter { $0.hasPrefix("blectl: ") }
        #expect(messages.count == 2, "\(run.stderr)")
        #expect(messages.first?.hasSuffix("in 1 s") == true, "\(messages)")
        #expect(messages.last?.hasSuffix("in 10 s") == true, "\(messages)")
    }

    @Test func `a line with a device uses the shell's adapter`() async throws {
        let run = try await run(["read battery-level -i hci1 -d 'Thermo 1'"])
        #expect(run.status == 64 && run.stdout == "", "\(run)")
        #expect(run.stderr.contains("'--adapter' is for the shell as a whole"), "\(run.stderr)")
    }

    @Test func `a world in virtual time has no sessions`() async throws {
        let run = try await run(["session list"])
        #expect(run.status == 64, "\(run)")
        let reason = "'--simulate-time virtual' is for a world of one command, which has no sessions"
        #expect(run.stderr.contains(reason), "\(run)")
    }

    @Test func `a closed or lost link is made again`() async throws {
        let lines = ["read battery-level", "disconnect", "read battery-level"]
        let run = try await run(lines, "-d 'Pulse HR'")
        #expect(run.stdout == "87 %\n87 %\n", "\(run.stderr)")
        let lossy = ["read battery-level", "notify heart-rate-measurement", "read battery-level"]
        let lost = try await Blectl.run(
            Blectl.virtual + ["--fault", "connect: drop after 5s", "shell", "-d", "Pulse HR"],
            input: Array(lossy.map { "\($0)\n" }.joined().utf8)
        )
        #expect(lost.status == 0, "\(lost.stderr)")
        #expect(lost.stdout.hasPrefix("87 %\n") && lost.stdout.hasSuffix("\n87 %\n"))
        #expect(lost.stderr.contains("cannot listen to Pulse HR"), "\(lost.stderr)")
    }

    @Test func `commands run in the background, can be stopped, and are stopped at the end`() async throws {
        let lines = [
            "notify heart-rate-measurement &", "watch battery --count 1 &", "jobs",
            "notify heart-rate-measurement -n 3",
            "stop 1", "stop 1", "stop all", "jobs", "notify heart-rate-measurement &", "read battery-level",
        ]
        let run = try await run(lines, "-d 'Pulse HR' -v")
        #expect(run.status == 0, "\(run.stderr)")
        #expect(run.stdout.contains("[1] runs  notify heart-rate-measurement\n[2] runs  watch battery --count 1\n"))
        #expect(run.stderr.contains("no command '1' runs in the background"))
        let switches = Trace(run.stderr).writes.map(\.value)
        #expect(switches.last == "0000", "\(switches)")
        #expect(switches.count { $0 == "0100" } == switches.count { $0 == "0000" }, "\(switches)")
    }

    @Test func `a line that makes the device send runs after the line before it has subscribed`() async throws {
        // The handle needs no discovery, so that the write would otherwise be the first request.
        let lines = ["notify \(World.uartTransmit) --count 1 --duration 3 &", "write handle:0x0010 text:hi"]
        let run = try await run(lines, "-d \(World.uart) --address-type random -v")
        #expect(run.status == 0 && run.stdout.contains("\"hi\""), "\(run)")
        #expect(Trace(run.stderr).writes.map(\.value) == ["0100", "6869", "0000"], "\(run.stderr)")
    }

    /// Lines, and the status of the shell after them.
    struct Waits: Sendable, CustomTestStringConvertible {
        let lines: [String]
        let status: Int32

        init(_ lines: [String], _ status: Int32) { (self.lines, self.status) = (lines, status) }

        var testDescription: String { lines.joined(separator: "; ") }
    }

    private static let waits = [
        Waits(["notify 0x1234 --count 2 &", "wait 1"], 68), Waits(["read 0x1234 &", "wait"], 68),
        Waits(["notify heart-rate-measurement --count 100 --duration 2 &", "wait"], 1),
        // Of several the first one that fails, also if it has ended before.
        Waits(["read 0x1234 &", "notify 2a37 -n 100 --duration 2 &", "bench read 2a19", "wait"], 68),
        // Each failure is reported once, and a stopped line is not a failure.
        Waits(["read 0x1234 &", "wait 1", "wait"], 0), Waits(["read 0x1234 &", "wait", "exit"], 68),
        Waits(["notify heart-rate-measurement &", "stop 1", "wait 1"], 0), Waits(["wait"], 0), Waits(["wait 1"], 64),
    ]

    @Test(arguments: waits)
    func `wait has the status of its job`(_ waits: Waits) async throws {
        let run = try await run(waits.lines, "-d 'Pulse HR'")
        #expect(run.status == waits.status, "\(run)")
    }

    @Test func `a failed background line ends the shell at its wait`() async throws {
        let run = try await run(["read 0x1234 &", "wait", "read battery-level"], "-d 'Pulse HR' --exit-on-error")
        #expect(run.status == 68 && run.stdout.isEmpty, "\(run)")
    }

    @Test func `the end of the input waits for finite jobs, and stops the rest`() async throws {
        let endless = "watch heart-rate"
        let run = try await run(["\(endless) &", "notify heart-rate-measurement --count 2 &"], "-d 'Pulse HR' --json")
        #expect(run.status == 0, "\(run)")
        #expect(try run.records().count { $0["type"]?.string == "notification" } == 2)
        #expect(run.stderr == "blectl: stopped at the end of the input: \(endless)\n", "\(run.stderr)")
        // The last line is the status, unless it is a success.
        for (lines, status) in [(["read 0x1234 &"], 68), (["read 0x1234 &", "read bogus-x"], 64)] {
            let failed = try await self.run(lines, "-d 'Pulse HR'")
            #expect(failed.status == status && failed.stderr.contains("0x1234"), "\(failed)")
        }
        // `exit` waits for none.
        let left = try await self.run(["notify heart-rate-measurement --count 9 &", "exit"], "-d 'Pulse HR'")
        #expect(left.status == 0 && left.stdout.isEmpty, "\(left)")
        #expect(left.stderr.contains("stopped at the end of the input: notify heart-rate-measurement --count 9\n"))
    }

    @Test func `each failure of a shell with --json is a record`() async throws {
        let lines = [
            "bogus", "read 'a", "read bogus-x", "use nope", "use", "stop 9", "wait 9", "connect Nobody", "exit soon",
            "read 0x1234 -d Nobody --timeout 1", "write -d 'Pulse HR' battery-level zz",
        ]
        for option in ["--json", "--json --redact"] {
            let run = try await run(lines, option)
            let records = try run.records()
            #expect(records.allSatisfy { $0["type"] == .string("error") } && records.count == lines.count, "\(run)")
            for record in records { #expect(RecordCheck.problems(of: record).isEmpty) }
            let statuses = records.map { $0["status"]?.integer ?? 0 }
            #expect(statuses == [64, 64, 64, 64, 64, 64, 64, 68, 64, 68, 65])
            let actions = records.map { $0["action"]?.string }
            #expect(actions[2...7] == ["read", "use", "use", "stop", "wait", "connect"], "\(actions)")
            #expect(run.stderr.contains("Nobody") == (option == "--json"), "\(run.stderr)")
            #expect(run.stdout.contains("Nobody") == (option == "--json"), "\(run.stdout)")
        }
        // A line may ask for it alone.
        let single = try await run(["read bogus-x --json", "read bogus-x"])
        #expect(try single.records().count == 1)
    }

    @Test func `a background line beyond the limit fails`() async throws {
        let lines = Array(repeating: "notify heart-rate-measurement &", count: 33)
        let run = try await run(lines, "-d 'Pulse HR' -q")
        #expect(run.status == 75, "\(run.stderr)")
        #expect(run.stderr.contains("cannot run a line in the background: there are 32 commands already"))
    }

    @Test func `a line with -v that ends leaves the trace to the other line`() async throws {
        let lines = ["notify heart-rate-measurement -n 5 -v &", "read battery-level -v", "wait"]
        let run = try await run(lines, "-d 'Pulse HR'")
        #expect(run.status == 0, "\(run.stderr)")
        let traced = run.stderr.split(separator: "\n").count { $0.contains(" < att ") && $0.contains("Notification") }
        #expect(traced >= 5, "\(run.stderr)")
    }

    /// Empty input would be the value.
    @Test func `commands have no standard input, and leave the lines to the shell`() async throws {
        let lines = ["write \(Workbench.long) -", "decode battery-level -", "lookup 0x180D"]
        let run = try await run(lines, "-d Workbench")
        let errors = run.stderr.split(separator: "\n").filter { $0.hasPrefix("blectl: ") }
        #expect(errors == Array(repeating: "blectl: a line of a shell has no standard input", count: 2), "\(run)")
        #expect(run.stdout == "service         0x180D  Heart Rate\n", "\(run.stderr)")
    }

    @Test(arguments: [
        "--simulate read battery-level", "shell", "jobs now", "exit 0 0", "use", "stop", "stop 3", "wait x", "jobs &",
        "notify battery-level --reconnect", "use 'a*'",
    ])
    func `meaningless lines are refused`(_ line: String) async throws {
        let run = try await run([line], "-d 'Pulse HR'")
        #expect(run.status == 64, "\(run.stderr)")
        #expect(run.stderr.hasPrefix("blectl: "))
    }

    @Test(arguments: ["connect", "disconnect", "use"])
    func `the hint for a name without quotes asks for them`(_ command: String) async throws {
        let run = try await run(["\(command) Pulse HR"])
        #expect(run.status == 64, "\(run.stderr)")
        #expect(
            run.stderr == """
                blectl: unexpected argument: 'HR'
                hint: a name of several words is quoted, as in: \(command) 'My Sensor'

                """
        )
    }

    @Test func `help is about the shell, one of its commands, or one of blectl`() async throws {
        let run = try await run(["help", "help jobs", "help read", "scan -h", "version"])
        #expect(run.status == 0, "\(run.stderr)")
        for text in [
            "stop NUMBER|all", "  jobs  ", "\njobs\n  the commands", "blectl read - ", "blectl scan - ",
        ] {
            #expect(run.stdout.contains(text), "\(text)")
        }
    }

    @Test func `octets that are not text end it`() async throws {
        let run = try await Blectl.simulate("shell", input: [0x72, 0xFF, 0x0A])
        #expect(run.status == 65)
        #expect(run.stderr.contains("line 1 is not text in UTF-8"))
    }

    @Test func `no history is kept of lines that nobody typed`() async throws {
        try await TemporaryFolder.use { folder in
            let run = try await Blectl.simulate(
                "shell",
                input: Array("lookup 0x180D\n".utf8),
                environment: ["HOME": folder.path]
            )
            #expect(run.status == 0)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        }
    }
}
