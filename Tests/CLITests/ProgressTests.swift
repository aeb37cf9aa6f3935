// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

/// What a person sees while a command takes its time. Virtual time shows the same without taking it.
@Suite("Progress", .startsPrograms())
struct ProgressTests {
    private static let erase = "\r\u{1B}[K"

    private static let script = """
        device strap -d 'Pulse HR'
        test "low battery"
          read strap battery-level
          repeat 2
            set level 50
            pause 4 s
          end

        """

    /// A terminal without colours, so that a progress line is its text alone.
    private func draw(
        _ arguments: [String],
        program: String = Blectl.path,
        columns: Int = 100
    ) async throws -> (status: Int32, drawn: String, lines: [String]) {
        let terminal = try PseudoTerminal(columns: columns, rows: 24)
        let (status, drawn) = try await terminal.run(arguments, program: program, environment: ["NO_COLOR": "1"])
        let screen = TerminalScreen(columns: columns, rows: 24, showing: drawn)
        #expect(screen.unknown.isEmpty, "\(screen.unknown)")
        return (status, drawn, screen.lines)
    }

    /// Writes a script, and runs `body` with its path.
    private func withScript(_ text: String = Self.script, _ body: (String) async throws -> Void) async throws {
        try await TemporaryFolder.use { folder in
            let file = folder.appending(path: "s.blectl")
            try Data(text.utf8).write(to: file)
            try await body(file.path)
        }
    }

    @Test func `run shows the test and the step, and removes them afterwards`() async throws {
        try await withScript { path in
            let (status, drawn, lines) = try await draw(Blectl.virtual + ["run", path])
            #expect(status == 0)
            for step in ["1 of 5, read strap battery-level", "3 of 5, pause 4 s", "5 of 5, pause 4 s"] {
                #expect(drawn.contains("\(Self.erase)low battery: step \(step)"), "\(drawn.debugDescription)")
            }
            #expect(!drawn.contains("step 2 of 5"), "what takes no time is not shown")
            #expect(lines.count == 2, "\(lines)")
            #expect(lines.first?.contains(" low battery (") == true, "\(lines)")
            #expect(lines.last?.hasPrefix("1 test: 1 passed in ") == true, "\(lines)")
        }
    }

    @Test func `a subscription says that it waits for the first value`() async throws {
        let line = ["notify", "battery-level", "-d", "Pulse HR", "--duration", "5"]
        let (status, drawn, lines) = try await draw(Blectl.virtual + line)
        #expect(status == 0)
        #expect(drawn.contains("\(Self.erase)subscribed; waiting for the first value …"), "\(drawn.debugDescription)")
        #expect(!lines.contains { $0.contains("waiting") }, "\(lines)")
    }

    @Test func `a long name is cut to the terminal`() async throws {
        let name = String(repeating: "low battery ", count: 9)
        try await withScript(Self.script.replacingOccurrences(of: "low battery", with: name)) { path in
            let (status, drawn, lines) = try await draw(Blectl.virtual + ["run", path], columns: 40)
            #expect(status == 0)
            let shown = drawn.components(separatedBy: Self.erase).filter { $0.hasPrefix("low battery low") }
            #expect(!shown.isEmpty && shown.allSatisfy { $0.count == 39 && $0.hasSuffix("…") }, "\(shown)")
            #expect(lines.last?.hasPrefix("1 test: 1 passed in ") == true, "\(lines)")
        }
    }

    @Test func `a run without a terminal, a quiet one and a dumb terminal print none of it`() async throws {
        try await withScript { path in
            for line in [["run", path], ["bench", "read", "battery-level", "-d", "Pulse HR"]] {
                let run = try await Blectl.run(Blectl.virtual + line)
                #expect(run.status == 0 && run.stderr.isEmpty, "\(run)")
                #expect(!run.stdout.contains("\u{1B}") && !run.stdout.contains(" of 5"))
                let quiet = try await draw(Blectl.virtual + line + ["--quiet"])
                #expect(quiet.status == 0 && !quiet.drawn.contains("\u{1B}"), "\(quiet.drawn.debugDescription)")
                let terminal = try PseudoTerminal(columns: 80, rows: 24)
                let (status, drawn) = try await terminal.run(Blectl.virtual + line, environment: ["TERM": "dumb"])
                #expect(status == 0 && !drawn.contains("\u{1B}"), "\(drawn.debugDescription)")
            }
        }
    }

    @Test(arguments: [
        ("read battery-level -d 'Pulse HR' --count 40", "read: 0 of 40"),
        ("read battery-level -d 'Pulse HR' --duration 3", "read: 0 s of 3 s"),
        ("write \(Workbench.long) -d Workbench --count 40", "write: 0 of 40"),
        ("notify heart-rate-measurement -d 'Pulse HR' --duration 3", "notify: 0 s of 3 s"),
        ("l2cap --psm 128 -d Workbench --count 40", "l2cap: 0 of 40"),
    ])
    func `bench shows its progress`(_ line: String, _ first: String) async throws {
        let command = Blectl.virtual + ["bench"] + TypedCommand(line).arguments
        let (status, drawn, lines) = try await draw(command, columns: 160)
        #expect(status == 0)
        let word = first.prefix { $0 != ":" }
        let shown = drawn.components(separatedBy: Self.erase).filter { $0.hasPrefix("\(word): ") }
        #expect(shown.first?.hasPrefix(first) == true, "\(drawn.debugDescription)")
        let numbers = shown.compactMap { Int($0.dropFirst(word.count + 2).prefix { $0.isNumber }) }
        #expect(numbers == numbers.sorted() && numbers.contains { $0 > 0 }, "\(shown)")
        // Four times in each of three seconds, and the first time.
        #expect(shown.count <= 13, "\(shown)")
        #expect(!lines.contains { $0.hasPrefix("\(word): ") }, "\(lines)")
        #expect(lines.contains { $0.hasPrefix("\(word) ") && $0.contains(" per second") }, "\(lines)")
    }

    @Test(arguments: [
        ("read battery-level -d 'Pulse HR'", "reading battery-level …"),
        ("write heart-rate-control-point 01 -d 'Pulse HR'", "writing heart-rate-control-point …"),
        ("link -d 'Pulse HR' --link-interval 30ms", "changing the link to Pulse HR"),
        ("profile heart-rate reset-energy -d 'Pulse HR'", "waiting for Pulse HR"),
        ("scan --summary --duration 4", "scanning …"), ("scan --summary --duration 4", "devices in 2 s"),
    ])
    func `an operation that a device may delay is shown while it runs`(_ line: String, _ words: String) async throws {
        let (status, drawn, lines) = try await draw(Blectl.virtual + TypedCommand(line).arguments)
        #expect(status == 0)
        #expect(drawn.components(separatedBy: Self.erase).contains { $0.contains(words) }, "\(drawn.debugDescription)")
        #expect(!lines.contains { $0.contains(words) }, "\(lines)")
    }

    @Test func `a channel with octets to a file shows their number`() async throws {
        try await TemporaryFolder.use { folder in
            let file = folder.appending(path: "octets")
            try Data(repeating: 65, count: 20_000).write(to: file)
            let blectl = ([Blectl.path] + Blectl.virtual).joined(separator: " ")
            let pipe = "\(blectl) l2cap connect --psm 128 -d Workbench"
            let hidden = try await draw(["-c", "\(pipe) <\(file.path) >/dev/null"], program: "/bin/sh")
            #expect(hidden.status == 0)
            #expect(
                hidden.drawn.contains(/channel 0x0080: [1-9][0-9]* of 20000 octets sent, [0-9]+ received/),
                "\(hidden.drawn.suffix(500).debugDescription)"
            )
            #expect(!hidden.lines.contains { $0.contains("octets sent") }, "\(hidden.lines)")
            let seen = try await draw(["-c", "\(pipe) <\(file.path)"], program: "/bin/sh")
            #expect(!seen.drawn.contains("octets sent"), "the octets themselves are on the terminal")
        }
    }
}
