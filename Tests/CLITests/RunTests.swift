// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

/// Scripts, with the real binary.
@Suite("blectl run", .startsPrograms(isLong: true))
struct RunTests {
    @Test(arguments: [
        ("read battery-level expect charge > 50", "no field 'charge'"),
        ("read battery-level expect level > 50 or batery_level > 50", "no field 'batery_level'"),
        ("scan --duration 1 expect rsi > -90", "no field 'rsi'"),
        ("read battery-level expect battery_level > 50", nil), ("read 0xFFF1 expect anything > 50", nil),
        ("read battery-level --as u8 expect 50..100", nil),
    ])
    func `a dry run finds a field that no result of the step can have`(_ step: String, _ fault: String?) async throws {
        let script = Array("device strap -d 'Pulse HR'\ntest \"x\"\n  \(step)\n".utf8)
        let run = try await Blectl.simulate("run --dry-run -", input: script)
        #expect(run.status == (fault == nil ? 0 : 65), "\(run.stderr)")
        #expect(fault.map { run.stderr.contains("\($0)") } ?? run.stderr.isEmpty, "\(run.stderr)")
    }

    /// A test that passes, one that fails, and one that is skipped.
    static let oneOfEach = """
        device strap -d 'Pulse HR'
        test "has charge"
          read strap battery-level expect 20..100 as level
          repeat 2 as round
            expect ${level} >= ${round}
          end
        test "is full"
          read strap battery-level expect battery_level in 90..100
        cleanup
          write strap heart-rate-control-point 02 expect error 0x80
        test "is not run"
          pause 1
        """

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "ThreeLives")
    private static let device = folder.appending(path: "rig.json").path
    private static let script = folder.appending(path: "rig.blectl").path

    @Test(arguments: ManualExample.scripts.map(\.file))
    func `the scripts of blectl-script(5) work as described`(_ file: String) async throws {
        let example = try #require(ManualExample.scripts.first { $0.file == file })
        try await TemporaryFolder.use { folder in
            let path = folder.appending(path: file)
            try Data("\(example.text)\n".utf8).write(to: path)
            let run = try await Blectl.run(["--simulate", "--simulate-time", "virtual", "run", path.path])
            #expect(run.status == 0, "\(run.stdout)\(run.stderr)")
            let count = example.text.split(separator: "\n").count { $0.hasPrefix("test ") }
            #expect(run.stdout.contains("\n\(count) tests: \(count) passed in "))
        }
    }

    @Test(
        .enabled("python3-junitparser, python3-tap, perl or libxml2-utils is not installed") {
            try await ReportReaders.areInstalled
        }
    )
    func `independent readers find the same tests in both reports`() async throws {
        let script = """
            device strap -d 'Pulse HR'
            test "has charge"
              read strap battery-level expect 20..100
            test "is full <&> \\"]]>"
              read strap battery-level expect battery_level in 90..100
            test "breaks"
              read strap temperature
            cleanup
              read strap temperature
            """
        try await TemporaryFolder.use { folder in
            let path = folder.appending(path: "s.blectl").path
            try Data("\(script)\n".utf8).write(to: URL(filePath: path))
            let (junit, tap) = (folder.appending(path: "r.xml").path, folder.appending(path: "r.tap").path)
            let command = ["--simulate", "--simulate-time", "virtual", "run", path]
            let reports = ["--report", "junit=\(junit)", "--report", "tap=\(tap)"]
            let all = try await Blectl.run(command + reports + ["--keep-going"])
            #expect(all.status == 68, "\(all)")
            let name = "is full <&> \"]]>"
            #expect(
                try await ReportReaders.lines(junit: junit, tap: tap) == [
                    "junit 3 1 1 0", "junit Success has charge", "junit Failure \(name)", "junit Error breaks",
                    "tap 3", "tap ok has charge", "tap not ok \(name)", "tap not ok breaks",
                ]
            )
            #expect(try await ReportReaders.complaints(junit: junit, tap: tap) == ["prove: Failed 2/3 subtests"])
            let passed = try await Blectl.run(command + reports + ["--only", "has charge"])
            #expect(passed.status == 0, "\(passed)")
            #expect(try await ReportReaders.complaints(junit: junit, tap: tap) == [])
            let stopped = try await Blectl.run(command + reports)
            #expect(stopped.status == 1, "\(stopped)")
            let lines = try await ReportReaders.lines(junit: junit, tap: tap)
            #expect(lines.contains("junit Skipped breaks") && lines.contains("tap Skipped breaks"), "\(lines)")
        }
    }

    /// The lines of a TAP report without the times.
    private func comparable(_ report: String) -> [String] {
        report.split(separator: "\n").map(String.init).filter {
            !$0.hasPrefix("  duration_ms:") && !$0.hasPrefix("# blectl.radio:")
        }
    }

    @Test func `a selection without a test, or without the beginning of a stream, is refused`() async throws {
        let script = """
            device strap -d 'Pulse HR'
            read strap battery-level
            test "begins"
              notify strap heart-rate-measurement as beats
            test "waits"
              await beats within 5 s
            """
        for (only, status, words) in [
            ("begns", Int32(68), "no test is called 'begns'; did you mean 'begins'?"), ("waits", 64, "stream 'beats'"),
            ("begins", 0, ""), ("*", 0, ""),
        ] {
            for option in ["", "--dry-run"] {
                let run = try await Blectl.simulate("run - --only \(only) \(option)", input: Array("\(script)\n".utf8))
                #expect(
                    run.status == status && run.stderr.contains(words) || words.isEmpty && run.status == 0,
                    "\(run)"
                )
            }
        }
        for definition in ["3=4", "a.b=1"] {
            let run = try await Blectl.simulate("run - -D \(definition)", input: Array("pause 1\n".utf8))
            #expect(run.status == 64, "\(run)")
        }
    }

    @Test func `an unused definition is reported, and the run goes on`() async throws {
        let script = "device strap -d 'Pulse HR'\nset low 20\nread strap battery-level expect >= ${low}\n"
        let rows: [(definition: String, note: String?)] = [
            ("lwo=99", "blectl: no script uses the variable 'lwo'; did you mean 'low'?"), ("low=30", nil),
        ]
        for (definition, note) in rows {
            let run = try await Blectl.simulate("run - -D \(definition)", input: Array(script.utf8))
            #expect(run.status == 0, "\(run)")
            #expect(run.stderr.contains("no script uses") == (note != nil), "\(run)")
            if let note { #expect(run.stderr.contains(note), "\(run)") }
        }
    }

    @Test func `a selection of tests keeps the final cleanup valid`() async throws {
        let tests = """
            device strap -d 'Pulse HR'
            test begins
              notify strap heart-rate-measurement as beats
            test other
              pause 1
            cleanup
              notify strap heart-rate-measurement as late
            test waits
              await late within 5 s
            cleanup all

            """
        for (only, cleanup, status, words) in [
            ("other", "stop beats", Int32(0), ""), ("other", "repeat 2\nstop beats\nend\nstop late", 0, ""),
            ("other", "await beats within 5 s", 64, "the final cleanup needs the stream 'beats', which test 'begins'"),
            ("waits", "pause 1", 64, "test 'waits' needs the stream 'late', which test 'other' begins"),
        ] {
            let run = try await Blectl.simulate("run - --only \(only)", input: Array("\(tests)\(cleanup)\n".utf8))
            #expect(run.status == status && (words.isEmpty || run.stderr.contains(words)), "\(run)")
        }
    }

    @Test func `sixty steps have the same report in memory, in virtual and real time, and in a shared world`()
        async throws
    {
        let run = ["run", Self.script, "--report", "tap=-"]
        let virtual = try await Blectl.run(["--simulate=\(Self.device)", "--simulate-time", "virtual"] + run)
        #expect(virtual.status == 0, "\(virtual.stdout)\(virtual.stderr)")
        #expect(virtual.stdout.contains("1..8\n") && !virtual.stdout.contains("not ok"))
        // Some steps count what comes within a second of real time, in which a busy machine may hear nothing.
        let (wanted, attempts) = (comparable(virtual.stdout), 3)
        for attempt in 1...attempts {
            let real = try await Blectl.run(["--simulate=\(Self.device)"] + run)
            let isSame = comparable(real.stdout) == wanted
            RealTime.expect(isSame, isLast: attempt == attempts, "\(real.stdout)\(real.stderr)")
            if isSame { break }
        }
        for attempt in 1...attempts {
            let shared = try await inSharedWorld(run)
            func steps(_ lines: [String]) -> [String] { lines.filter { !$0.hasPrefix("#") } }
            let isSame = steps(comparable(shared.stdout)) == steps(wanted)
            RealTime.expect(isSame, isLast: attempt == attempts, "\(shared.stdout)\(shared.stderr)")
            if isSame { break }
        }
        let again = try await Blectl.run(["--simulate=\(Self.device)", "--simulate-time", "virtual"] + run)
        #expect(again.stdout == virtual.stdout)
    }

    /// Runs a command in a shared world.
    private func inSharedWorld(_ run: [String]) async throws -> BlectlRun {
        try await TemporaryFolder.use { folder in
            try await Blectl.shell(
                """
                S=\(folder.path)/s
                $BLECTL simulate serve --socket $S \(Self.device) >$S.out & server=$!
                trap 'kill -9 $server 2>/dev/null' EXIT
                until [ -s $S.out ] || ! kill -0 $server 2>/dev/null; do sleep 0.02; done
                timeout 300 $BLECTL --simulate=$S \(run.joined(separator: " "))
                """
            )
        }
    }

    @Test func `the script has sixty steps`() async throws {
        let run = try await Blectl.run([
            "--simulate=\(Self.device)", "--simulate-time", "virtual", "run", Self.script, "--json",
        ])
        let steps = try run.records().filter { $0["type"] == .string("script-step") }
        #expect(steps.count >= 60)
    }

    @Test func `a failure shows the step, the expectation, the result, and the packets`() async throws {
        let run = try await Blectl.simulate("run -", input: Array(Self.oneOfEach.utf8))
        #expect(run.status == 1)
        let lines = run.stdout.split(separator: "\n").map(String.init)
        #expect(lines.first?.hasPrefix("✓ has charge (") == true, "\(run.stdout)\(run.stderr)")
        #expect(run.stdout.contains(":8: read strap battery-level expect battery_level in 90..100\n"))
        #expect(run.stdout.contains("      expected  battery_level in 90..100\n      got       battery_level is 87\n"))
        #expect(run.stdout.contains("      value     57  (87 %)\n"))
        #expect(run.stdout.contains("< att C8:4B:1D:3A:90:5E Read By Type Response"))
        #expect(run.stdout.contains("- is not run: skipped, an earlier test failed\n"))
        #expect(lines.last?.hasPrefix("3 tests: 1 passed, 1 failed, 1 skipped in ") == true)
    }

    @Test func `the status is that of the failure, and 1 if only expectations were not met`() async throws {
        func status(_ script: String, _ options: String = "") async throws -> Int32 {
            try await Blectl.simulate("run - \(options)", input: Array(script.utf8)).status
        }
        #expect(try await status("read battery-level -d 'Pulse HR'\n") == 0)
        #expect(try await status("read battery-level -d 'Pulse HR' expect 1\n") == 1)
        #expect(try await status("read glucose-measurement -d 'Pulse HR'\n") == 68)
        #expect(try await status("test a\nlookup battery expect name is x\ntest b\nlookup battery\n", "--only b") == 0)
        #expect(try await status("nonsense\n") == 65)
        #expect(try await Blectl.simulate("run /nonexistent/script").status == 66)
        let both = "test a\nlookup battery expect name is x\ntest b\nread glucose-measurement -d 'Pulse HR'\n"
        #expect(try await status(both) == 1)
        #expect(try await status(both, "--keep-going") == 68)
        #expect(try await status(both, "--dry-run") == 0)
        #expect(try await status("expect ${x} is 5\n", "-D x=5") == 0)
    }

    /// A device whose name looks like a file, with a value that can be written.
    private static let nameLikeAFile = """
        {
            "schema": "blectl-device/1",
            "label": "thief",
            "summary": "a device with the name of a file",
            "name": "@key",
            "address": "C0:FF:EE:12:34:57",
            "address_type": "random",
            "advertising": [{ "interval": "100 ms", "data": { "services": ["battery"] } }],
            "services": [
                {
                    "uuid": "b1ec0700-5ec7-4c3a-9d0e-51a1b1ec0001",
                    "characteristics": [
                        {
                            "uuid": "b1ec0701-5ec7-4c3a-9d0e-51a1b1ec0001",
                            "properties": ["read", "write"],
                            "value": "text:hello"
                        }
                    ]
                }
            ]
        }
        """

    @Test func `a text from the air sends no file`() async throws {
        let note = "b1ec0701-5ec7-4c3a-9d0e-51a1b1ec0001"
        let script = """
            device thief -d C0:FF:EE:12:34:57
            read thief device-name as n
            set path key
            test refused
              write thief \(note) ${n}
            test "refused as well"
              write thief \(note) -- ${n}
            test unchanged
              read thief \(note) expect 0x68656c6c6f
            test "as a text"
              write thief \(note) text:${n}
              read thief \(note) expect 0x406b6579
            test "a file of the script"
              write thief \(note) @${path}
              read thief \(note) expect 0x534543524554
            """
        try await TemporaryFolder.use { folder in
            for (name, text) in [("d.json", Self.nameLikeAFile), ("s.blectl", "\(script)\n"), ("key", "SECRET")] {
                try Data(text.utf8).write(to: folder.appending(path: name))
            }
            let run = try await Blectl.shell(
                """
                cd '\(folder.path)'
                $BLECTL --simulate=d.json --simulate-time virtual run s.blectl --keep-going --report tap=t.tap
                echo "status $?"
                cat t.tap
                """
            )
            #expect(run.stdout.contains("status 65\n"), "\(run)")
            #expect(run.stdout.contains("the value of ${n} is '@key', and would be a file"), "\(run)")
            let tests = run.stdout.split(separator: "\n").filter { $0.hasPrefix("ok ") || $0.hasPrefix("not ok ") }
            #expect(
                tests == [
                    "not ok 1 - refused", "not ok 2 - refused as well", "ok 3 - unchanged", "ok 4 - as a text",
                    "ok 5 - a file of the script",
                ],
                "\(run)"
            )
        }
    }

    @Test func `reports go to files and to standard output, and are opened first`() async throws {
        try await TemporaryFolder.use { folder in
            let reports = "--report junit=\(folder.path)/r.xml --report json=\(folder.path)/r.json --report tap=-"
            let run = try await Blectl.simulate("run - \(reports)", input: Array(Self.oneOfEach.utf8))
            #expect(
                run.stdout.hasPrefix("TAP version 13\n") && run.stdout.contains("ok 3 - is not run # SKIP an earlier")
            )
            let junit = try String(contentsOf: folder.appending(path: "r.xml"), encoding: .utf8)
            #expect(junit.contains("<testsuites name=\"blectl\" tests=\"3\" failures=\"1\" errors=\"0\" time="))
            let json = try String(contentsOf: folder.appending(path: "r.json"), encoding: .utf8)
            #expect(json.split(separator: "\n").last?.contains("\"type\":\"script-end\"") == true)
            let github = try await Blectl.simulate("run - --report github", input: Array(Self.oneOfEach.utf8))
            #expect(github.stderr.contains("::error file=standard input,line="), "\(github)")
            #expect(!github.stdout.contains("::error") && github.stdout.contains("1 failed"), "\(github)")
            let late = try await Blectl.simulate(
                "run - --report tap=\(folder.path)/none/r",
                input: Array(Self.oneOfEach.utf8)
            )
            #expect(late.status == 73 && late.stdout.isEmpty)
        }
    }

    @Test func `with --redact, no remark and no error of a step names a device, and values stay`() async throws {
        let script = """
            device strap -d 'Pulse HR'
            device nobody -d 'Anna HR'
            test "refused"
              write strap battery-level 55
            test "another error than expected"
              write strap battery-level 55 expect error 0x05
            test "missing"
              read strap 0xFFFF
            test "a stream that fails"
              notify strap 0xFFFF as values
            test "not found"
              read nobody battery-level
            test "another value than expected"
              read strap battery-level expect battery_level in 90..100
            """
        let line = "run - --timeout 2 --keep-going --json"
        let open = try await Blectl.simulate(line, input: Array(script.utf8))
        let run = try await Blectl.simulate("\(line) --redact", input: Array(script.utf8))
        #expect(run.status == open.status && run.status != 0, "\(run)")
        for name in ["Pulse HR", "Anna HR"] {
            #expect(open.stdout.contains(name), "\(open.stdout)")
            #expect(!run.stdout.contains(name), "\(run.stdout)")
        }
        #expect(run.stdout.contains("… (\(World.strap))") && run.stdout.contains("\"value\":\"57\""), "\(run.stdout)")
    }

    @Test func `the error of a step beyond the limit of blectl names the clause that allows more`() async throws {
        let script = "device strap -d 'Pulse HR'\nnotify strap battery-level --count 1000\n"
        let run = try await Blectl.simulate("run -", input: Array(script.utf8))
        #expect(run.status == 124, "\(run)")
        #expect(run.stdout.contains("the step did not end in 600 s\n      hint      within TIME allows more time\n"))
    }

    @Test func `a cleanup that takes too long after the deadline keeps every test in the report`() async throws {
        let script = "test a\npause 5 s\ncleanup\npause 20 s\npause 1\ntest b\npause 1\ncleanup all\npause 1\n"
        let (run, report) = try await TemporaryFolder.use { folder in
            let path = folder.appending(path: "t.tap").path
            let command = "--deadline 1 run --report tap=\(path) -"
            let run = try await Blectl.simulate(command, input: Array(script.utf8))
            return (run, (try? String(contentsOfFile: path, encoding: .utf8)) ?? "")
        }
        #expect(run.status == 124, "\(run)")
        let tests = report.split(separator: "\n").filter { $0.hasPrefix("ok ") || $0.hasPrefix("not ok ") }
        #expect(tests.count == 2 && tests.first == "not ok 1 - a", "\(report)")
        #expect(tests.last?.hasPrefix("ok 2 - b # SKIP the run did not end in 1 s (--deadline)") == true, "\(report)")
        #expect(report.contains("  step: \"pause 5 s\"\n"), "\(report)")
    }

    @Test func `a deadline is no failure of a script that has not begun, and no success either`() async throws {
        try await TemporaryFolder.use { folder in
            let run = try await Blectl.shell(
                """
                cd '\(folder.path)'
                for i in a b; do printf 'pause 1\\ntest %s\\npause 5\\ntest %s2\\npause 1\\n' $i $i >$i; done
                $BLECTL $SIMULATE run a b --deadline 3 --report tap=tap --report junit=junit; echo $?
                grep -E '^(not )?ok' tap; grep '<error' junit | cut -d '"' -f 4
                """
            )
            let told = "the run did not end in 3 s (--deadline)"
            #expect(
                run.stdout.split(separator: "\n").suffix(8) == [
                    "4 tests: 0 passed, 1 failed, 3 skipped in 3.00 s", "124", "not ok 1 - a",
                    "ok 2 - a2 # SKIP \(told)", "not ok 3 - b", "ok 4 - b2 # SKIP \(told)", "timed-out", "timed-out",
                ],
                "\(run)"
            )
        }
    }

    @Test func `an interruption runs the cleanup and writes the report`() async throws {
        try await TemporaryFolder.use { folder in
            let path = folder.path
            let run = try await Blectl.shell(
                """
                printf 'test a\\nlookup battery\\npause 60\\ncleanup\\nlookup heart-rate\\ntest b\\npause 1\\n' >\(path)/s
                $BLECTL --simulate run \(path)/s -v --report tap=\(path)/tap --report json=\(path)/json >\(path)/out & pid=$!
                until grep -q 'lookup battery' \(path)/out || ! kill -0 $pid; do sleep 0.02; done
                kill -TERM $pid; wait $pid; echo "status $?"
                cat \(path)/tap; grep -o '"status":130,"status_name":"interrupted"' \(path)/json; grep -c 'lookup heart-rate' \(path)/out
                """
            )
            let lines = run.stdout.split(separator: "\n").map(String.init)
            #expect(
                lines.contains("not ok 1 - a") && lines.contains("ok 2 - b # SKIP interrupted")
                    && lines.contains("Bail out! interrupted"),
                "\(run)"
            )
            #expect(lines.contains("\"status\":130,\"status_name\":\"interrupted\""), "\(run)")
            #expect(lines.first == "status 143" && lines.last == "1")
        }
    }

    @Test(arguments: ["TERM", ""])
    func `a report of a run that was cut off, and cannot be written, is missed`(_ signal: String) async throws {
        let run = try await Blectl.shell(
            """
            cd $HOME; printf 'lookup battery\npause 60\n' >s
            $BLECTL --simulate run s -v --report junit=/dev/full \(signal.isEmpty ? "--deadline 1s" : "") >told & pid=$!
            until grep -q 'lookup battery' told || ! kill -0 $pid; do sleep 0.02; done
            \(signal.isEmpty ? ":" : "kill -\(signal) $pid"); wait $pid; echo "status $?"
            """
        )
        #expect(run.stdout == "status \(signal.isEmpty ? 124 : 143)\n", "\(run)")
        #expect(run.stderr.contains("blectl: cannot write to /dev/full: No space left on device\n"), "\(run)")
    }

    @Test func `a step of a script on standard input has no standard input`() async throws {
        let script = "device bench -d Workbench\nwrite bench \(Workbench.long) -\n"
        let run = try await Blectl.simulate("run -", input: Array(script.utf8))
        #expect(run.status == 65, "\(run)")
        #expect(run.stderr.contains("standard input:2:1: standard input has the script"), "\(run)")
    }
}
