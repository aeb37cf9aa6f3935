// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

/// The serial port and the keys: what is not a measurement.
@Suite("blectl watch uart, and watch keys", .startsPrograms())
struct WatchTerminalTests {
    @Test func `the input is sent, and the device's echo is printed unchanged`() async throws {
        let run = try await Blectl.simulate("watch uart", input: Array("AT\nhällo\n".utf8) + [0x00, 0xFF])
        #expect(run.status == 0, "\(run.stderr)")
        #expect(run.stdoutBytes == Array("AT\nhällo\n".utf8) + [0x00, 0xFF])
    }

    @Test func `a long input is sent in pieces, and comes back whole`() async throws {
        let input = (0..<5_000).map { UInt8(truncatingIfNeeded: $0 * 7) }
        let run = try await Blectl.simulate("watch uart", input: input)
        #expect(run.status == 0, "\(run.stderr)")
        #expect(run.stdoutBytes == input)
    }

    @Test func `line ends are as requested`() async throws {
        let run = try await Blectl.simulate("watch uart --newline crlf --duration 2", input: Array("AT\n".utf8))
        #expect(run.status == 0, "\(run.stderr)")
        #expect(run.stdout == "AT\r\n")
    }

    @Test func `records cover both directions`() async throws {
        let run = try await Blectl.simulate("watch uart --hex --json", input: Array("00 ff\nno\n4142\n".utf8))
        #expect(run.status == 65, "\(run.stderr)")
        let records = try run.records()
        for record in records { #expect(RecordCheck.problems(of: record).isEmpty) }
        #expect(records.last?["type"] == .string("error"))
        let lines = records.dropLast().map { "\($0["direction"]?.string ?? "") \($0["data"]?.string ?? "")" }
        #expect(
            Set(lines) == ["sent 00ff", "sent 4142", "received 00ff", "received 4142"]
                || lines.contains("sent 00ff4142")
        )
        #expect(lines.first?.hasPrefix("sent") == true, "an answer comes behind its question")
        #expect(run.stderr.contains("not sent, because it is not octets in hex: 'no'"))
    }

    @Test(arguments: ["", "--duration 3"])
    func `a line of hex that is not sent is an error, even without its note`(_ limit: String) async throws {
        let run = try await Blectl.simulate("watch uart --hex -q \(limit)", input: Array("0x43\nzz\n".utf8))
        #expect(run.status == 65 && run.stdout == "43\n", "\(run)")
        let why = "a line of the input was not sent, because it is not octets in hex"
        #expect(run.stderr.contains("cannot use the serial port of UART Echo") && run.stderr.contains(why), "\(run)")
    }

    @Test func `hex is shown a packet per line`() async throws {
        let run = try await Blectl.simulate("watch uart --hex", input: Array("48 69".utf8))
        #expect(run.stdout == "4869\n")
    }

    @Test(arguments: ["watch keys", "watch uart --hex --no-input --json"])
    func `on a terminal times are local, and in records in UTC`(_ line: String) async throws {
        let terminal = try PseudoTerminal(columns: 100, rows: 24)
        let arguments = Blectl.virtual + line.split(separator: " ").map(String.init) + ["--duration", "20"]
        let (status, drawn) = try await terminal.run(arguments, environment: ["TZ": "XXX-5:30", "NO_COLOR": "1"])
        #expect(status == 0)
        let lines = drawn.split(separator: "\n").filter { $0.hasSuffix("press") || $0.hasSuffix("press\r") }
        #expect(lines.allSatisfy { $0.contains("05:30:") && !$0.contains("Z") }, "\(drawn)")
        #expect(line != "watch keys" || !lines.isEmpty, "\(drawn)")
    }

    @Test func `nothing is sent without input, and fewer values than requested are status 1`() async throws {
        let run = try await Blectl.simulate("watch uart --no-input --count 1 --duration 3", input: Array("AT\n".utf8))
        #expect(run.status == 1)
        #expect(run.stdout.isEmpty)
        let short = try await Blectl.simulate("watch uart --count 5", input: Array("AT\n".utf8))
        #expect(short.status == 1)
        #expect(short.stderr.contains("1 of 5 values received from UART Echo "), "\(short.stderr)")
        #expect(short.stderr.contains(": the input has ended\n"), "\(short.stderr)")
    }

    @Test func `on a terminal lines are sent, answers escaped, and Ctrl-D ends it at once`() async throws {
        let terminal = try PseudoTerminal(columns: 80, rows: 24)
        let arguments = ["--simulate", "--simulate-time", "real", "watch", "uart", "--newline", "crlf"]
        let (status, drawn) = try await terminal.run(arguments, hasKeyboard: true) { _ in
            terminal.type("ping\n")
            try await terminal.waits("echoed") { $0.components(separatedBy: "ping").count == 3 }
            terminal.type("a\u{1B}\n")
            try await terminal.waits("escaped") { $0.contains("a\\u{1B}") }
            terminal.type("\u{04}")
        }
        #expect(status == 0, "\(drawn)")
    }

    @Test func `an interruption ends it, with the status of the signal`() async throws {
        let terminal = try PseudoTerminal(columns: 80, rows: 24)
        let arguments = ["--simulate", "--simulate-time", "real", "watch", "uart"]
        let (status, _) = try await terminal.run(arguments, hasKeyboard: true) { child in
            terminal.type("ping\n")
            try await terminal.waits("echoed") { $0.components(separatedBy: "ping").count == 3 }
            child.signal(SIGINT)
        }
        #expect(status == -SIGINT)
    }

    @Test func `a device without the service is reported`() async throws {
        let run = try await Blectl.simulate("watch uart -d 'Pulse HR'", input: Array("AT\n".utf8))
        #expect(run.status == 68, "\(run.stderr)")
    }

    @Test func `presses and releases of a SensorTag`() async throws {
        let run = try await Blectl.simulate("watch keys -d SensorTag --count 4 --json")
        #expect(run.status == 0, "\(run.stderr)")
        let records = try run.records()
        for record in records { #expect(RecordCheck.problems(of: record).isEmpty) }
        #expect(records.map { $0["sequence"]?.integer } == [1, 2, 3, 4])
        let events = records.map { "\($0["key"]?.string ?? "") \($0["action"]?.string ?? "")" }
        #expect(events.first?.hasSuffix("press") == true)
        #expect(events.contains { $0.hasSuffix("release") })
        let text = try await Blectl.simulate("watch keys -d SensorTag --count 2")
        #expect(text.stdout.split(separator: "\n").count == 2)
    }

    @Test func `a program runs at each press, and gets the name of the key`() async throws {
        try await TemporaryFolder.use { folder in
            let log = folder.appending(path: "log").path
            let command = "sh -c 'echo $BLECTL_KEY $BLECTL_ACTION $BLECTL_DEVICE >> \(log)'"
            let run = try await Blectl.run([
                "--simulate", "--simulate-time", "real", "watch", "keys", "-d", "SensorTag", "--count", "2", "--exec",
                command,
            ])
            #expect(run.status == 0, "\(run.stderr)")
            let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
            #expect(!lines.isEmpty)
            for line in lines { #expect(line.contains(" press ") && line.contains(":"), "\(line)") }
        }
    }

    @Test func `meaningless options are refused`() async throws {
        for line in ["watch battery --newline crlf", "watch uart --exec true", "watch keys --hex", "watch uart keys"] {
            let run = try await Blectl.simulate(line)
            #expect(run.status == 64, "\(line): \(run.stderr)")
        }
        let run = try await Blectl.simulate("watch keys -d SensorTag --exec true")
        #expect(run.status == 64)
        #expect(run.stderr.contains("--simulate-time real"))
    }
}
