// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

@Suite("Signals", .startsPrograms(isLong: true))
struct SignalTests {
    private static let scan = ["--simulate", "scan", "--json", "--duplicates", "-vv"]
    private static let notify = ["--simulate", "notify", Workbench.ticker, "-d", "Workbench", "--json", "-vv"]

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func `a scan switches the scanner off and dies of the signal`(_ number: Int32) async throws {
        try await LiveBlectl.start(Self.scan) { live in
            try await live.waits(for: "\n", on: \.stdout)
            live.child.signal(number)
            let run = try await live.end()
            #expect(run.status == -number)
            #expect(Trace(run.stderr).scanSwitches == ["on", "off"])
            #expect(try !run.records().isEmpty, "whole lines to the last")
        }
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func `notify switches notifications off, closes the link and dies of the signal`(_ number: Int32) async throws {
        try await LiveBlectl.start(Self.notify) { live in
            try await live.waits(for: "\n", on: \.stdout)
            live.child.signal(number)
            let run = try await live.end()
            #expect(run.status == -number)
            let trace = Trace(run.stderr)
            #expect(trace.writes.map(\.value) == ["0100", "0000"])
            #expect(trace.pdus.last?.name == "Write Response", "the device has said that it knows")
            #expect(try !run.records().isEmpty, "whole lines to the last")
        }
    }

    @Test func `a signal in the middle of a long write has the device forget the pieces`() async throws {
        try await TemporaryFolder.use { folder in
            let file = folder.appendingPathComponent("letter")
            try Data(repeating: 0x55, count: 512).write(to: file)
            // In pieces of 18 octets with late answers, so that it takes long even on a busy machine.
            let long = Workbench.numbered("0679")
            let command = [
                "--simulate", "write", long, "@\(file.path)", "-d", "Museum", "-v", "--timeout", "600",
                "--fault", "write \(long): delay 500ms",
            ]
            try await LiveBlectl.start(command) { live in
                await live.signal(SIGINT, whenStderrContains: "Prepare Write Response")
                let run = try await live.end()
                #expect(run.status == -SIGINT)
                let last = Trace(run.stderr).pdus.suffix(2)
                #expect(last.map(\.name) == ["Execute Write Request", "Execute Write Response"])
                #expect(last.first?.rest == "cancel")
            }
        }
    }

    @Test func `a signal in the middle of an update leaves the device as it was, and says what to type`() async throws {
        try await TemporaryFolder.use { folder in
            let file = folder.appendingPathComponent("zephyr.signed.bin")
            try Data(FirmwareImage.octets(length: 450_000)).write(to: file)
            try await LiveBlectl.start(["--simulate=mcuboot-board", "update", file.path, "--json"]) { live in
                try await live.waits(for: #""step":"progress""#, on: \.stdout)
                live.child.signal(SIGINT)
                let run = try await live.end()
                #expect(run.status == -SIGINT)
                let told = run.stderr.firstMatch(of: /the device has (\d+) of 450072 octets/)
                #expect(told.flatMap { Int($0.1) } ?? 0 > 0, "\(run.stderr)")
                #expect(run.stderr.hasSuffix(", and runs the old one; the same command goes on from there\n"))
            }
        }
    }

    @Test func `a signal ends a search, a connection attempt and a wait for an answer`() async throws {
        // Their own limits are far away, because this task may go on late.
        let commands = [
            (["read", "0x2A00", "-d", "Nobody", "-vv", "--timeout", "600"], "Set Extended Scan Enable: on"),
            (["read", Workbench.silent, "-d", "Workbench", "-v", "--timeout", "600"], "Read By Type Request"),
        ]
        for (arguments, sign) in commands {
            try await LiveBlectl.start(["--simulate"] + arguments) { live in
                try await live.waits(for: sign, on: \.stderr)
                live.child.signal(SIGINT)
                let run = try await live.end()
                #expect(run.status == -SIGINT, "\(arguments)")
                #expect(run.stdoutBytes.isEmpty)
                let switches = Trace(run.stderr).scanSwitches
                #expect(switches.last != "on", "\(switches)")
            }
        }
        let connecting = [
            "--simulate", "read", "0x2A00", "-d", World.absent, "--address-type", "random", "--connect-timeout", "600",
        ]
        try await LiveBlectl.start(connecting) { live in
            // Nothing shows that the command has begun. A signal that comes too early ends it as well.
            try await Task.sleep(for: .milliseconds(300))
            live.child.signal(SIGINT)
            try #expect(await live.end().status == -SIGINT)
        }
    }

    @Test func `in virtual time a signal ends an endless command`() async throws {
        try await LiveBlectl.start(Blectl.virtual + ["watch", "heart-rate", "--json", "-v"]) { live in
            try await live.waits(for: "\n", on: \.stdout)
            live.child.signal(SIGTERM)
            let run = try await live.end()
            #expect(run.status == -SIGTERM)
            // A long subscription also subscribes to Service Changed, by an indication: 0200.
            #expect(Trace(run.stderr).writes.map(\.value).filter { $0 != "0200" } == ["0100", "0000"])
        }
    }

    /// A run whose standard output, and optionally standard error, is a pipe that is never read. In virtual time it is
    /// full at once, and the command waits in the middle of a line.
    private func unread(
        _ arguments: [String],
        error: FileHandle? = nil,
        _ body: (Child) async throws -> Void
    ) async throws {
        let pipe = try PipeEnds()
        defer { for end in [pipe.reading, pipe.writing] { close(end) } }
        let output = FileHandle(fileDescriptor: pipe.writing, closeOnDealloc: false)
        let child = try Child(
            Program(Blectl.path, arguments),
            input: FileHandle.nullDevice,
            output: output,
            error: error ?? output,
            environment: [:]
        )
        try await child.waitUntilIdle()
        try await body(child)
    }

    /// Sends a signal, and expects that the program ends by it, and not by itself, which would take for ever.
    private static func expectEnd(of child: Child, by number: Int32) async throws {
        let start = ContinuousClock.now
        child.signal(number)
        try #expect(await child.status() == -number)
        let end = try #require(child.endedAt)
        #expect(end - start < .seconds(8), "less than it would wait by itself")
    }

    @Test func `a signal does not wait for a reader that takes nothing, and the command cleans up`() async throws {
        let trace = try PipeEnds()
        let error = FileHandle(fileDescriptor: trace.writing, closeOnDealloc: true)
        let messages = OutputCollector(trace.reading)
        let command = Blectl.virtual + ["notify", "heart-rate-measurement", "--json", "-v"]
        try await unread(command, error: error) { child in
            try await Self.expectEnd(of: child, by: SIGINT)
        }
        try error.close()
        await messages.waitForEnd()
        #expect(Trace(messages.text).writes.last?.value == "0000")
    }

    @Test func `nor does it wait if nobody reads the messages`() async throws {
        for command in [["notify", "heart-rate-measurement", "--json", "-vv"], ["scan", "-vv", "--duplicates"]] {
            try await unread(Blectl.virtual + command) { child in
                try await Self.expectEnd(of: child, by: SIGTERM)
            }
        }
    }

    @Test(arguments: [[], Blectl.virtual])
    func `a terminal stopped in mid-line keeps no command from ending`(_ time: [String]) async throws {
        var (end, other) = (Int32(-1), Int32(-1))
        try #require(openpty(&end, &other, nil, nil, nil) == 0)
        defer { for end in [end, other] { close(end) } }
        let terminal = FileHandle(fileDescriptor: other, closeOnDealloc: false)
        let child = try Child(
            Program(Blectl.path, (time.isEmpty ? ["--simulate"] : time) + ["watch", "heart-rate", "--json", "-vv"]),
            input: FileHandle.nullDevice,
            output: terminal,
            error: terminal,
            environment: [:]
        )
        // The pipe is not read. In virtual time it is full at once, otherwise after some seconds.
        try await Task.sleep(for: .seconds(2))
        try await Self.expectEnd(of: child, by: SIGINT)
    }

    @Test func `a second signal ends an unfinished cleanup`() async throws {
        // On a busy machine, the moment in which the first one waits for the reader may be over before the second one.
        for attempt in 1...20 {
            var isInTime = false
            try await unread(Blectl.virtual + ["watch", "heart-rate", "--json"]) { child in
                // From a thread of its own, because this task may go on too late.
                let (start, isRunning) = try await ScriptedCentral.script {
                    let start = ContinuousClock.now
                    child.signal(SIGINT)
                    usleep(300_000)
                    let isRunning = child.isRunning
                    child.signal(SIGINT)
                    return (start, isRunning)
                }
                try #expect(await child.status() == -SIGINT)
                let end = try #require(child.endedAt)
                // The first one alone ends it a second after the reader took the last octet.
                isInTime = isRunning && end - start < .milliseconds(500)
            }
            if isInTime { return }
            if attempt == 20 { Issue.record("the second signal ends nothing") }
        }
    }

    @Test(arguments: ["HUP", "INT"])
    func `a signal that the caller ignores is ignored`(_ name: String) async throws {
        // nohup(1) ignores SIGHUP, and a shell ignores SIGINT for background jobs.
        let number = name == "HUP" ? SIGHUP : SIGINT
        let wrapper = ["/bin/bash", "-c", "trap '' \(name); exec \"$@\"", "bash"]
        let command = ["--simulate", "scan", "--duration", "1", "--json"]
        try await LiveBlectl.start(command, through: wrapper) { live in
            try await live.waits(for: "\n", on: \.stdout)
            live.child.signal(number)
            let run = try await live.end()
            #expect(run.status == 0)
            #expect(run.stderr.contains(" reports from "), "\(run.stderr)")
        }
    }

    @Test func `a stopped command continues where it was`() async throws {
        let command = ["--simulate", "notify", Workbench.ticker, "-d", "Workbench", "--count", "2", "--json"]
        try await LiveBlectl.start(command) { live in
            try await live.waits(for: "\n", on: \.stdout)
            live.child.signal(SIGSTOP)
            try await Task.sleep(for: .milliseconds(200))
            live.child.signal(SIGCONT)
            let run = try await live.end()
            #expect(run.status == 0)
            #expect(try run.records().map { $0["value"] } == [.string("01000000"), .string("02000000")])
        }
    }
}
