// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

@Suite("On a terminal", .startsPrograms())
struct TerminalTests {
    private static let hide = "\u{1B}[?25l"
    private static let show = "\u{1B}[?25h"

    private func draw(
        _ arguments: [String],
        columns: Int = 100,
        rows: Int = 24,
        environment: [String: String] = [:]
    ) async throws -> (status: Int32, drawn: String, screen: TerminalScreen) {
        let terminal = try PseudoTerminal(columns: columns, rows: rows)
        let (status, drawn) = try await terminal.run(Blectl.virtual + arguments, environment: environment)
        return (status, drawn, TerminalScreen(columns: columns, rows: rows, showing: drawn))
    }

    @Test func `a scan draws its own screen, and leaves its table on the user's`() async throws {
        let (status, drawn, screen) = try await draw(["scan", "--duration", "3.2"], columns: 150)
        #expect(status == 0)
        #expect(drawn.hasPrefix("\u{1B}[?1049h" + Self.hide), "the cursor is hidden first")
        #expect(drawn.components(separatedBy: Self.hide).count == 2)
        #expect(drawn.components(separatedBy: Self.show).count == 2)
        #expect(screen.pictures.count == 7, "one at once, and one each half second")
        #expect(screen.isCursorVisible && screen.wraps && !screen.isAlternate)
        #expect(screen.unknown.isEmpty, "\(screen.unknown)")
        try Golden.expect(screen.lines.joined(separator: "\n") + "\n", equals: "scan-on-a-terminal.txt")
    }

    @Test(arguments: [(1, 1), (1, 24), (2, 3), (10, 10), (40, 6), (53, 24), (65_535, 65_535), (0, 0)])
    func `a table fits any terminal`(_ columns: Int, _ rows: Int) async throws {
        let terminal = try PseudoTerminal(columns: columns, rows: rows)
        let (status, drawn) = try await terminal.run(Blectl.virtual + ["scan", "--duration", "2"])
        #expect(status == 0)
        #expect(drawn.contains(Self.hide) && drawn.contains(Self.show))
        guard (3...1_000).contains(columns) else { return }
        // No line may reach the edge, where some terminals would wrap it.
        for picture in TerminalScreen(columns: columns, rows: rows, showing: drawn).pictures {
            for line in picture { #expect(line.count < columns, "\(columns): \(line)") }
        }
    }

    @Test func `a table longer than the screen is drawn within it, and whole at the end`() async throws {
        let (status, drawn, screen) = try await draw(["scan", "--duration", "3"], columns: 90, rows: 8)
        #expect(status == 0)
        #expect(screen.pictures.allSatisfy { $0.count <= 8 })
        #expect(!screen.pictures.contains { $0.contains { $0.contains("Thermo 1") } })
        let table = try #require(drawn.components(separatedBy: "\u{1B}[?1049l").last)
        for name in ["Weather Mast North", "Workbench", "Thermo 1", "Eddystone URL https://example.com"] {
            #expect(table.contains(name), "\(name)")
        }
    }

    @Test func `a signal restores the cursor`() async throws {
        let terminal = try PseudoTerminal(columns: 80, rows: 24)
        let (status, drawn) = try await terminal.run(["--simulate", "scan"]) { child in
            try #require(await terminal.output.contains("Pulse HR"))
            child.signal(SIGINT)
        }
        #expect(status == -SIGINT)
        #expect(drawn.contains(Self.hide))
        #expect(TerminalScreen(columns: 80, rows: 24, showing: drawn).isCursorVisible)
    }

    /// `scan` and `watch` draw in its characters anyway.
    @Test func `a terminal without Unicode gets none`() async throws {
        for line in ["decode temperature 0A0B", "lookup temperature", "read temperature-measurement -d 'Thermo 1'"] {
            let (_, drawn, _) = try await draw(TypedCommand(line).arguments, environment: ["LC_ALL": "C"])
            #expect(!drawn.isEmpty && drawn.utf8.allSatisfy { $0 < 0x80 }, "\(line): \(drawn)")
        }
        let (status, drawn, _) = try await draw(["decode", "temperature", "0A0B"], environment: ["LC_ALL": "C"])
        #expect(status == 0 && drawn == "28.26 ?C\n", "\(drawn)")
    }

    @Test func `progress is shown, and removed at the end`() async throws {
        let (status, drawn, screen) = try await draw(["read", "battery-level", "model-number-string"])
        #expect(status == 0)
        #expect(drawn.contains("looking for a device"))
        #expect(drawn.contains("connecting to Pulse HR"))
        let device = "blectl: using Pulse HR (\(World.strap))"
        #expect(screen.lines == [device, "battery-level: 87 %", "model-number-string: Pulse HR 2"])
        #expect(screen.unknown.isEmpty)
    }

    @Test func `colour is for terminals, unless an option or a variable says otherwise`() async throws {
        let command = ["read", "battery-level", "0xFFF1", "-d", "Pulse HR"]
        #expect(try await draw(command).drawn.contains("\u{1B}[36mbattery-level\u{1B}[0m: 87 %"))
        #expect(try await draw(command, environment: ["NO_COLOR": ""]).drawn.contains("\u{1B}[36m"), "empty is unset")
        for environment in [["NO_COLOR": "1"], ["TERM": "dumb"]] {
            let drawn = try await draw(command, environment: environment).drawn
            #expect(drawn.contains("battery-level: 87 %\n") && !drawn.contains(/\x1B\[[0-9;]*m/), "\(environment)")
        }
        let never = try await draw(command + ["--color", "never"]).drawn
        #expect(never.contains("battery-level: 87 %\n") && !never.contains(/\x1B\[[0-9;]*m/))
    }

    @Test(arguments: ["scan --duration 2", "inspect 'Thermo 1'", "watch heart-rate --count 2", "read 0xFFF1 0x2A00"])
    func `a dumb terminal gets lines and no escapes`(_ line: String) async throws {
        let command = TypedCommand(line)
        let name = line.hasPrefix("read") ? ["-d", "Pulse HR"] : []
        let (_, drawn, _) = try await draw(command.arguments + name, environment: ["TERM": "dumb"])
        #expect(!drawn.isEmpty)
        #expect(!drawn.contains("\u{1B}") && !drawn.contains("\r"), "\(drawn)")
    }

    @Test func `JSON on a terminal is still JSON, and quiet is quiet`() async throws {
        let (status, drawn, _) = try await draw(["scan", "--count", "3", "--json", "-q"])
        #expect(status == 0)
        #expect(try JSON.objects(drawn).count == 3)
    }

    @Test func `help is as wide as the terminal, up to a hundred columns`() async throws {
        for (columns, limit) in [(60, 60), (80, 80), (200, 100)] {
            let (status, drawn, _) = try await draw(["scan", "--help"], columns: columns)
            #expect(status == 0)
            let widest = drawn.split(separator: "\n").map(\.count).max() ?? 0
            #expect(widest <= limit && widest > limit - 15, "\(columns): \(widest)")
        }
    }
}
