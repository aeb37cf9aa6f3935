// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

@Suite("Live screens", .startsPrograms())
struct ScreenTests {
    /// A terminal of a kind.
    struct Kind: Sendable, CustomTestStringConvertible {
        let columns: Int
        let name: String
        let environment: [String: String]

        var testDescription: String { "\(columns) columns, \(name)" }

        static let all = [40, 80, 160].flatMap { columns in
            [
                Kind(columns: columns, name: "colour", environment: [:]),
                Kind(columns: columns, name: "plain", environment: ["NO_COLOR": "1", "LANG": "C"]),
            ]
        }
    }

    /// Runs a command, and compares its last picture, and what it leaves, with a golden text.
    private func compare(_ line: String, _ name: String, _ kind: Kind) async throws {
        let terminal = try PseudoTerminal(columns: kind.columns, rows: 16)
        let command = Blectl.virtual + TypedCommand(line).arguments
        let (status, drawn) = try await terminal.run(command, hasKeyboard: true, environment: kind.environment)
        #expect(status == 0)
        let screen = TerminalScreen(columns: kind.columns, rows: 16, showing: drawn)
        #expect(screen.unknown.isEmpty && screen.isCursorVisible && screen.wraps && !screen.isAlternate)
        if kind.name == "plain" {
            #expect(drawn.utf8.allSatisfy { $0 < 0x80 }, "no character beyond ASCII")
            #expect(!drawn.contains(/\x1B\[[0-9;]*[1-9]m/), "no attribute")
        }
        let rule = String(repeating: "-", count: kind.columns)
        let left = try #require(drawn.components(separatedBy: "\u{1B}[?1049l").last)
        let text = ["$ blectl \(line)", rule] + TerminalScreen.marked(screen.lastPicture) + [rule, left]
        try Golden.expect(text.joined(separator: "\n"), equals: "screen-\(name)-\(kind.columns)-\(kind.name).txt")
    }

    @Test(arguments: Kind.all)
    func `a scan shows the golden picture`(_ kind: Kind) async throws {
        try await compare("scan --duration 4.2", "scan", kind)
    }

    @Test(arguments: Kind.all)
    func `a watch shows the golden picture`(_ kind: Kind) async throws {
        try await compare("watch heart-rate --count 12", "watch", kind)
    }

    @Test func `the order by signal is stable, and follows the seed`() async throws {
        let terminal = try PseudoTerminal(columns: 120, rows: 36)
        let (_, drawn) = try await terminal.run(Blectl.virtual + ["scan", "--sort", "rssi", "--duration", "12.2"])
        let pictures = TerminalScreen(columns: 120, rows: 36, showing: drawn).pictures
        // The bound is that of the eleven others, because more devices have more neighbours to change places with.
        let neighbours: Set = [
            "90:59:AF:0B:82:F4", "D9:10:CC:4E:A2:36", "C3:11:0B:5E:77:4D", "CE:66:60:00:00:66", "F8:47:13:AE:60:9D",
            "DC:61:4F:92:E3:58", "C6:92:1D:B8:40:7F", "EA:54:09:C7:6D:12", "F7:3D:A5:1C:08:B2", "CB:29:D0:74:5E:E1",
            "F4:18:66:0D:A2:C9", "D4:0B:E8:71:3F:A6", "E1:7C:20:5A:93:04", "EB:52:7A:16:0C:91",
        ]
        let orders = pictures.map { lines in
            lines.compactMap { $0.firstMatch(of: /([0-9A-F]{2}:){5}[0-9A-F]{2}/).map { String($0.0) } }
                .filter { !neighbours.contains($0) }
        }
        #expect(orders.count == 25)
        // While devices are heard for the first time, the order has to change.
        let settled = orders.drop { $0.count < (orders.last?.count ?? 0) }
        let changes = zip(settled, settled.dropFirst()).count { $0 != $1 }
        #expect(
            settled.count > 10 && changes <= 4,
            "\(changes) changes in \(settled.count) pictures; there were 20 in 24"
        )
    }

    @Test func `beacon frames are kept apart`() async throws {
        let terminal = try PseudoTerminal(columns: 300, rows: 24)
        let (_, drawn) = try await terminal.run(Blectl.virtual + ["scan", "--duration", "5.2"])
        let screen = TerminalScreen(columns: 300, rows: 24, showing: drawn)
        let beacon = screen.pictures.last?.first { $0.contains("AC:23:3F:A1:0E:55") } ?? ""
        #expect(beacon.contains("Eddystone URL https://example.com · Eddystone TLM 2978 mV"), "\(beacon)")
    }

    @Test func `an empty table says why`() async throws {
        let terminal = try PseudoTerminal(columns: 80, rows: 12)
        let command = Blectl.virtual + ["scan", "--name", "nothing*", "--duration", "3.2"]
        let (_, drawn) = try await terminal.run(command)
        let screen = TerminalScreen(columns: 80, rows: 12, showing: drawn)
        let picture = screen.pictures.last ?? []
        #expect(picture.contains("  25 devices heard, but none passes: --name nothing*"), "\(picture)")
        #expect(screen.lines.count == 2 && screen.lines[0].hasSuffix(" reports from 25 devices, 0 dropped"))
        #expect(screen.lines.last == "blectl: 25 devices heard, but none passes: --name nothing*", "\(screen.lines)")
    }

    // MARK: - A user

    private static let hide = "\u{1B}[?25l"
    private static let leave = "\u{1B}[?1049l"

    @Test func `keys sort, filter, select, explain and quit`() async throws {
        let terminal = try PseudoTerminal(columns: 100, rows: 36)
        func lines() -> [String] { terminal.screen(columns: 100, rows: 36).pictures.last ?? [] }
        func shows(_ text: String) async throws {
            try await terminal.waits("showed \(text)") { _ in lines().contains { $0.contains(text) } }
        }
        let (status, drawn) = try await terminal.run(["--simulate", "scan"], hasKeyboard: true) { _ in
            try await shows("UART Echo")
            terminal.type("3")
            try await shows("NAME▾")
            terminal.type("/pulse h")
            try await shows("/pulse h_")
            try await shows("1 of ")
            #expect(!lines().contains { $0.contains("UART Echo") })
            terminal.type("\r")
            try await shows("details")
            terminal.type("\r")
            try await shows("Pulse HR  C8:4B:1D:3A:90:5E  random-static")
            try await shows("service     Heart Rate (0x180D)")
            // Esc alone, and after it an arrow in two pieces.
            terminal.type("\u{1B}")
            try await shows("ADDRESS")
            terminal.type("?")
            try await shows("sort by another column")
            terminal.type("x")
            try await shows("/pulse")
            terminal.type("q")
        }
        #expect(status == 0)
        let left = try #require(drawn.components(separatedBy: Self.leave).last)
        #expect(left.contains("Pulse HR") && !left.contains("UART Echo"), "the table that was seen remains")
        #expect(TerminalScreen(columns: 100, rows: 36, showing: drawn).isCursorVisible)
    }

    @Test(arguments: [("scan", "UART Echo"), ("watch heart-rate", "bpm"), ("notify heart-rate-measurement", "bpm")])
    func `a key that ends a run does not replace what --count wants`(line: String, shown: String) async throws {
        for (limits, expected) in [([], 0), (["--count", "99"], 1)] as [([String], Int32)] {
            let terminal = try PseudoTerminal(columns: 80, rows: 20)
            let command = ["--simulate"] + TypedCommand(line).arguments + limits
            let (status, drawn) = try await terminal.run(command, hasKeyboard: true) { _ in
                try await terminal.waits("showed keys") { $0.contains("quit") && $0.contains(shown) }
                terminal.type("q")
            }
            #expect(status == expected)
            #expect(drawn.contains("the user ended the run") == (expected == 1))
        }
    }

    @Test func `the table follows the window size at once`() async throws {
        let terminal = try PseudoTerminal(columns: 90, rows: 24)
        let (status, drawn) = try await terminal.run(["--simulate", "scan"]) { child in
            try #require(await terminal.output.contains("UART Echo"))
            let before = terminal.output.text
            terminal.resize(columns: 30, rows: 24)
            child.signal(SIGWINCH)
            try await terminal.waits("drew in 30 columns") { text in
                var screen = TerminalScreen(columns: 90, rows: 24, showing: before)
                screen.resize(columns: 30, rows: 24)
                let count = screen.pictures.count
                screen.show(String(text.dropFirst(before.count)))
                return screen.pictures.dropFirst(count).contains { !$0.isEmpty && $0.allSatisfy { $0.count < 30 } }
            }
            child.signal(SIGINT)
        }
        #expect(status == -SIGINT)
        #expect(drawn.hasSuffix("dropped\n"))
    }

    @Test(arguments: ["scan", "watch heart-rate"])
    func `Ctrl-Z releases the terminal, and fg draws a whole picture`(_ line: String) async throws {
        let terminal = try PseudoTerminal(columns: 80, rows: 24)
        let first = line == "scan" ? "UART Echo" : "heart rate"
        let command = ["--simulate"] + TypedCommand(line).arguments
        let (status, drawn) = try await terminal.run(command) { child in
            try #require(await terminal.output.contains(first))
            child.signal(SIGTSTP)
            try await terminal.waits("left") { $0.contains(Self.leave) }
            try await child.waitUntilStopped()
            let screen = terminal.screen(columns: 80, rows: 24)
            #expect(screen.isCursorVisible && screen.wraps && !screen.isAlternate)
            let before = terminal.output.text.count
            child.signal(SIGCONT)
            try await terminal.waits("drew again") { $0.dropFirst(before).contains(first) }
            #expect(terminal.output.text.dropFirst(before).contains(Self.hide))
            child.signal(SIGQUIT)
        }
        #expect(status == -SIGQUIT, "Ctrl-\\ ends it")
        let screen = TerminalScreen(columns: 80, rows: 24, showing: drawn)
        #expect(screen.isCursorVisible && screen.wraps && !screen.isAlternate)
    }

    @Test func `in a shell, Ctrl-Z, bg and fg work as for every program`() async throws {
        let terminal = try PseudoTerminal(columns: 80, rows: 24)
        let shell = ["--ctty", "--wait", "/bin/bash", "--norc", "--noediting", "-i"]
        let environment = ["PS1": "ready> ", "HISTFILE": ""]
        let (_, drawn) = try await terminal.run(
            shell,
            program: "/usr/bin/setsid",
            hasKeyboard: true,
            environment: environment
        ) { _ in
            func shells() -> Int { terminal.output.text.components(separatedBy: "ready> ").count }
            func entered() -> Int { terminal.output.text.components(separatedBy: Self.hide).count }
            try await terminal.waits("was ready") { $0.contains("ready> ") }
            terminal.type("\(Blectl.path) --simulate scan\n")
            try #require(await terminal.output.contains("UART Echo"))
            terminal.type("\u{1A}")
            try await terminal.waits("stopped") { $0.contains("Stopped") && shells() == 3 }
            // In the background it draws nothing, reads no key, and is not stopped for that.
            terminal.type("bg\n")
            try await terminal.waits("went to the background") { _ in shells() == 4 }
            terminal.type("jobs; sleep 1; jobs; echo no''thing\n")
            try await terminal.waits("listed the jobs") { $0.contains("nothing") && shells() == 5 }
            #expect(terminal.output.text.components(separatedBy: "]+  Running").count == 3, "\(terminal.output.text)")
            #expect(entered() == 2)
            terminal.type("fg\n")
            try await terminal.waits("came back") { _ in entered() == 3 }
            try await terminal.waits("drew") { _ in
                terminal.output.text.components(separatedBy: Self.hide).last?.contains("UART Echo") == true
            }
            terminal.type("q")
            try await terminal.waits("ended") { $0.contains("dropped") && shells() == 6 }
            terminal.type("stty -a | grep -o ' echo '; exit 0\n")
        }
        #expect(drawn.contains(" echo "), "the terminal's settings are those of before")
    }

    @Test func `progress fits the terminal, and is removed at the end`() async throws {
        let terminal = try PseudoTerminal(columns: 40, rows: 12)
        let command = Blectl.virtual + ["read", "battery-level", "model-number-string", "--name", "Pulse*"]
        let (status, drawn) = try await terminal.run(command)
        #expect(status == 0)
        let screen = TerminalScreen(columns: 40, rows: 12, showing: drawn)
        let device = ["blectl: using Pulse HR (C8:4B:1D:3A:90:5", "E)"]
        #expect(screen.lines == device + ["battery-level: 87 %", "model-number-string: Pulse HR 2"], "\(screen.lines)")
    }
}
