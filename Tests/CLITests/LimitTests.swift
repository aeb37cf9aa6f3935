// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

/// How commands with limits end: `blectl(1)`, TIME AND COUNT LIMITS.
@Suite("Limits", .startsPrograms())
struct LimitTests {
    /// A command, with the status and the words on standard error with which it ends.
    struct Row: Sendable, CustomTestStringConvertible {
        let line: String
        let status: Int32
        let words: String?

        init(_ line: String, _ status: Int32, _ words: String? = nil) {
            (self.line, self.status, self.words) = (line, status, words)
        }

        var testDescription: String { line }
    }

    private static let strap = "Pulse HR (C8:4B:1D:3A:90:5E)"
    private static let atRest = "nothing more can happen in the simulated world"

    private func check(_ row: Row) async throws {
        let run = try await Blectl.simulate(row.line)
        #expect(run.status == row.status, "\(run.stderr)")
        if let words = row.words { #expect(run.stderr.contains(words), "\(run.stderr)") }
    }

    @Test(arguments: [
        Row(
            "notify heart-rate-measurement --count 10 --duration 3",
            1,
            "2 of 10 values received from \(strap): --duration"
        ),
        Row("notify heart-rate-measurement --count 2 --duration 30", 0),
        Row("notify heart-rate-measurement --duration 3", 0),
        Row("notify heart-rate-measurement battery-level --count 10 --duration 3 --json", 1, "3 of 10 values received"),
        Row("watch heart-rate --count 10 --duration 3", 1, "2 of 10 measurements received from \(strap): --duration"),
        Row("watch battery -d 'Pulse HR' --count 2 --duration 2", 1, "1 of 2 measurements received from \(strap)"),
        Row("watch battery -d 'Pulse HR' --count 1 --duration 2", 0),
        Row(
            "scan --name nothing --count 1 --duration 5",
            1,
            "0 of 1 device found: --duration ended the run after 5 s"
        ),
        Row("scan --name nothing --count 1 --duration 5 --json", 1, "0 of 1 report heard: --duration"),
        Row("scan --count 1 --duration 5", 0),
        Row("scan --count 500 --duration 2", 1, "of 500 devices found"),
        Row("scan --name nothing --duration 5", 0),
        Row("serve pulse-strap --count 5 --duration 3", 1, "0 of 5 connections ended: --duration"),
        Row("serve pulse-strap --count 1 --duration 100", 0),
        Row("serve pulse-strap --duration 3", 0),
        Row("advertise --local-name A --duration 3", 0),
        Row("advertise --local-name A --connectable --count 1 --duration 3", 1, "0 of 1 connection ended: --duration"),
        Row(
            "notify heart-rate-measurement -d 'Flaky HR' --reconnect --count 99 --duration 30",
            1,
            "of 99 values received"
        ),
    ])
    func `an unmet count is a failure with both numbers`(_ row: Row) async throws {
        try await check(row)
    }

    @Test(arguments: [
        Row("notify heart-rate-measurement --count 10 --deadline 5", 124),
        Row("notify heart-rate-measurement --duration 60 --deadline 5", 124),
        Row("scan --name nothing --count 1 --deadline 5", 124),
        Row("scan --name nothing --count 1 --deadline 5 --duration 2", 1),
        Row("serve pulse-strap --deadline 5", 124),
        Row("advertise --local-name A --deadline 5", 124),
        Row("read battery-level -d Nobody --deadline 5", 124),
        // A search is the step that ends with 68.
        Row("read battery-level -d Nobody --timeout 2", 68, "in 2 s"),
        Row("notify battery-level -d Nobody --count 1 --duration 1", 68),
        Row("read b1ec0305-5ec7-4c3a-9d0e-51a1b1ec0001 -d Workbench --timeout 2", 124),
        // The failure is the lost link; the unmet number is only reported.
        Row("notify heart-rate-measurement -d 'Flaky HR' --count 99", 75, "of 99 values received from Flaky HR "),
        Row("watch heart-rate --count 99 --deadline 3", 124, "of 99 measurements received from \(strap)\n"),
        Row("link -d 'Pulse HR' --signal --count 99 --deadline 3", 124, "of 99 values received from \(strap)\n"),
        Row("scan --count 500 --deadline 1", 124, "of 500 devices found\n"),
        // A single failed target gives its status, and the number is reported.
        Row(
            "notify heart-rate-measurement temperature -d 'Pulse HR' --count 9 --duration 3",
            68,
            "of 9 values received"
        ),
    ])
    func `other endings have the statuses of the manual`(_ row: Row) async throws {
        try await check(row)
    }

    @Test(arguments: [
        Row("watch battery -d 'Thermo 1' --count 3", 1, "1 of 3 measurements received from Thermo 1 "),
        Row("notify service-changed -d Workbench --count 1", 1, "0 of 1 value received from Workbench "),
        Row("serve ibeacon --count 1", 1, "0 of 1 connection ended"),
    ])
    func `a world without further events ends a count with the reason`(_ row: Row) async throws {
        try await check(Row(row.line, row.status, row.words))
        try await check(Row(row.line, row.status, ": \(Self.atRest)\n"))
    }

    @Test func `the record of --deadline has the used device`() async throws {
        let run = try await Blectl.simulate("watch heart-rate --count 99 --deadline 3 --json")
        #expect(run.status == 124, "\(run.stderr)")
        let record = try #require(try run.records().last)
        #expect(record["type"] == .string("error") && record["device"]?.object?["name"] == .string("Pulse HR"))
        #expect(run.stderr.contains("cannot watch heart-rate on Pulse HR (\(World.strap)): timed out"), "\(run)")
        let search = try await Blectl.simulate("read battery-level -d Nobody --deadline 3 --json")
        #expect(try search.records().last?["device"] == .null)
        #expect(search.stderr.contains("cannot read battery-level from a device named 'Nobody': timed"), "\(search)")
    }

    @Test func `without a count the end of the world is reported, and not a failure`() async throws {
        try await check(Row("watch battery -d 'Thermo 1'", 0, "blectl: \(Self.atRest)\n"))
        try await check(Row("notify service-changed -d Workbench", 0, "blectl: \(Self.atRest)\n"))
        // With a duration it is waited for, as in the real world.
        let run = try await Blectl.simulate("watch battery -d 'Thermo 1' --duration 1h --json -v")
        #expect(run.status == 0 && !run.stderr.contains(Self.atRest), "\(run.stderr)")
    }

    @Test func `a world with endless events ends a search for a missing device`() async throws {
        try await check(
            Row(
                "scan --name nothing --count 1 --passive --phy coded",
                1,
                "0 of 1 device found: nothing came in 60 minutes of simulated time"
            )
        )
    }

    @Test(arguments: ["--simulate-time virtual", "--simulate-seed 1", "--simulate-adapter off"])
    func `an option of the simulated world does not run on the real radio`(_ option: String) async throws {
        let commands = [
            "scan --duration 1", "read battery-level -d X", "adapters", "serve pulse-strap", "advertise raw 00",
        ]
        for command in commands {
            let run = try await Blectl.run(TypedCommand("\(command) \(option)").arguments)
            #expect(run.status == 64 && run.stdoutBytes.isEmpty)
            #expect(run.stderr.hasSuffix("is for the simulated world\nhint: add --simulate\n"), "\(run.stderr)")
        }
    }

    // MARK: - Attempts

    @Test func `--retries also repeats an attempt that timed out, if it is given`() async throws {
        let line = "read battery-level -d \(World.absent) --address-type random --connect-timeout 3"
        let one = try await Blectl.simulate(line)
        #expect(one.status == 124 && !one.stderr.contains("attempt"), "\(one.stderr)")
        let three = try await Blectl.simulate("\(line) --retries 2")
        #expect(three.status == 124)
        #expect(three.stderr.contains("attempt 1 of 3") && three.stderr.contains("attempt 2 of 3"), "\(three.stderr)")
        #expect(three.stderr.contains("the device did not answer (3 attempts)"), "\(three.stderr)")
    }

    @Test func `--retries waits for a program that does not listen yet`() async throws {
        let run = try await Blectl.shell(
            """
            socket=$HOME/socket
            $BLECTL --radio unix:$socket read battery-level --retries 0; echo $?
            $BLECTL --radio unix:$socket read battery-level --retries 20 2>$HOME/err & reader=$!
            until grep -q 'attempt 1 of 21: .* no program listens' $HOME/err; do sleep 0.02; done
            $BLECTL --radio unix:$socket serve pulse-strap --count 1 >/dev/null & server=$!
            wait $reader; echo "reader $?"; wait $server; echo "server $?"
            """
        )
        let lines = run.stdout.split(separator: "\n")
        #expect(lines.count == 4 && lines[0] == "75" && lines[1].hasSuffix(" %"), "\(run.stdout) \(run.stderr)")
        #expect(lines.suffix(2) == ["reader 0", "server 0"], "\(run.stdout) \(run.stderr)")
    }

    // MARK: - Serving

    @Test(arguments: [("--duration 20", 0), ("--count 1", 0), ("--deadline 20", 124)])
    func `serve reports the disconnection of every connected client`(_ limit: String, _ status: Int32) async throws {
        let run = try await Blectl.simulate("serve pulse-strap \(limit) --json")
        #expect(run.status == status, "\(run.stderr)")
        let records = try run.records()
        func connections(_ type: String) -> Set<String> {
            Set(records.filter { $0["type"] == .string(type) }.map { "\($0["connection"] ?? .null)" })
        }
        #expect(!connections("connected").isEmpty)
        #expect(connections("connected") == connections("disconnected"))
        let reasons = records.filter { $0["type"] == .string("disconnected") }.map { $0["reason"] }
        #expect(reasons.contains(.string("closed by blectl")), "\(reasons)")
        // In the order in which they happened.
        let last = records.last { $0["type"] != .string("error") }
        #expect(last?["type"] == .string("disconnected"))
    }

    /// The input is a pipe that somebody holds open, as a terminal at which nobody types.
    private func waiting(_ line: String, _ script: String) async throws -> BlectlRun {
        try await TemporaryFolder.use { folder in
            let line = line.replacing("PIPE", with: "\(folder.path)/in")
            return try await Blectl.shell(
                "cd '\(folder.path)'; mkfifo in; exec 8<>in; run() { \"$@\" $BLECTL \(line) 8>&- <in; }; \(script)"
            )
        }
    }

    private static let inputs = [
        "--simulate run -", "--simulate run PIPE", "--simulate write heart-rate-control-point - -d 'Pulse HR'",
        "encode battery-level -", "decode battery-level -", "decode battery-level @PIPE", "device check -",
        "--simulate diff pulse-strap -", "--simulate pair 'Pulse HR' --oob -", "--simulate scan --keys -",
        "--simulate serve PIPE", "--simulate=mcuboot-board update -", "--simulate=mcuboot-board mcumgr fs put /x -",
    ]

    @Test(arguments: inputs)
    func `a deadline ends the wait for an input`(_ line: String) async throws {
        let run = try await waiting("\(line) --deadline 0.1", "run timeout 300")
        #expect(run.status == 124 && run.stderr.contains("timed out after 100 ms (--deadline)"), "\(run)")
    }

    @Test(arguments: inputs + ["--simulate=- scan", "--simulate=PIPE scan", "scan --simulate --formats -"])
    func `a signal ends the wait for an input`(_ line: String) async throws {
        // 137 is that of a process that the second signal had to end.
        let run = try await waiting(line, "run timeout --preserve-status -k 5 0.5")
        #expect(run.status == 143, "\(run)")
    }

    /// Nobody is at the other end of the pipe.
    @Test(arguments: [
        "trace PIPE", "trace run.btsnoop --gatt PIPE", "simulate serve PIPE --socket world", "--simulate run PIPE",
        "decode battery-level @PIPE", "trace run.btsnoop --diagram PIPE", "--simulate run s.blectl --report tap=PIPE",
        "--simulate clone 'Pulse HR' --output PIPE", "--simulate notify 2a37 -d 'Pulse HR' --chart PIPE",
    ])
    func `a deadline and a signal end the wait for the other end of a pipe`(_ line: String) async throws {
        let line = line.replacing("PIPE", with: "pipe.svg")
        let run = try await TemporaryFolder.use { folder in
            try await Blectl.shell(
                """
                cd '\(folder.path)'; mkfifo pipe.svg; echo 'device strap -d "Pulse HR"' >s.blectl
                echo 'read strap battery-level' >>s.blectl
                $BLECTL $SIMULATE read battery-level -d 'Pulse HR' --capture run.btsnoop >ready
                timeout 300 $BLECTL \(line) --deadline 0.2; echo $?
                timeout --preserve-status -k 5 0.5 $BLECTL \(line); echo $?
                """
            )
        }
        #expect(run.stdout == "124\n143\n", "\(run)")
    }

    @Test func `a diagram of a run and virtual time wait for no reader`() async throws {
        let run = try await TemporaryFolder.use { folder in
            try await Blectl.shell(
                """
                cd '\(folder.path)'; mkfifo pipe.svg
                for option in --diagram --chart; do
                    timeout 300 $BLECTL $SIMULATE notify 2a37 -d 'Pulse HR' $option pipe.svg 2>&1; echo $?
                done
                """
            )
        }
        let error =
            "blectl: cannot create pipe.svg: no process reads the pipe\n"
            + "hint: start the reader first: cat pipe.svg\n73\n"
        #expect(run.stdout == error + error, "\(run)")
    }
}
