// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

/// The shell on a terminal, with libedit.
@Suite("blectl shell, on a terminal", .startsPrograms())
struct ShellTerminalTests {
    private static let prompt = "Pulse HR> "
    /// A line that needs three rows of 40 columns.
    private static let longLine = "write 0xFFF1 " + String(repeating: "0123456789", count: 7)

    /// The terminal of 40 columns shows the long line behind its prompt, once and at the end.
    private static func expectLongLine(in output: String) {
        let lines = TerminalScreen(columns: 40, rows: 24, showing: output).lines
        let last: String = lines.suffix(3).joined()
        #expect(last == prompt + longLine, "\(lines)")
        let count = lines.count { $0.contains("write") }
        #expect(count == 1, "\(lines)")
    }

    /// The lines that were drawn, without the prompts before them.
    private static func plain(_ drawn: String) -> String {
        drawn.replacing("\u{1B}[J", with: "\n").replacing("\r\n", with: "\n").replacing("\r", with: "\n")
    }

    /// Runs a shell for a strap. When its prompt is there, `type` is the user.
    private func run(
        _ options: [String] = [],
        columns: Int = 80,
        rows: Int = 24,
        environment: [String: String] = [:],
        _ type: (PseudoTerminal, Child) async throws -> Void
    ) async throws -> (status: Int32, drawn: String, screen: TerminalScreen) {
        let terminal = try PseudoTerminal(columns: columns, rows: rows)
        let arguments = ["--simulate", "shell", "-d", "Pulse HR"] + options
        let (status, drawn) = try await terminal.run(arguments, hasKeyboard: true, environment: environment) { child in
            try await terminal.waits("a prompt") { $0.hasSuffix(Self.prompt) }
            try await type(terminal, child)
        }
        return (status, drawn, TerminalScreen(columns: columns, rows: rows, showing: drawn))
    }

    /// Types, and waits until a number of prompts were drawn from then on.
    private func enter(_ text: String, on terminal: PseudoTerminal) async throws {
        let before = terminal.output.text.utf8.count
        terminal.type("\(text)\r")
        try await terminal.waits("a prompt behind \(text)") { output in
            let rest = String(decoding: output.utf8.dropFirst(before), as: UTF8.self)
            return rest.contains(where: \.isNewline) && rest.hasSuffix("> ")
        }
    }

    /// Presses Ctrl-C, and waits for another prompt.
    private func interrupt(_ child: Child, on terminal: PseudoTerminal) async throws {
        let before = terminal.output.text.utf8.count
        child.signal(SIGINT)
        try await terminal.waits("another prompt") { output in
            let rest = String(decoding: output.utf8.dropFirst(before), as: UTF8.self)
            return rest.contains(where: \.isNewline) && rest.hasSuffix(Self.prompt)
        }
    }

    @Test func `Tab completes commands, options and the device's attributes`() async throws {
        let (status, _, screen) = try await run { terminal, _ in
            // What the device has is discovered in the background: until then all assigned names are offered.
            var isDiscovered = false
            for _ in 0..<500 where !isDiscovered {
                try await type("\u{15}read heart-rate-m\t", on: terminal, until: "an answer") { shown in
                    isDiscovered = shown.hasSuffix("easurement ")
                    return isDiscovered || shown.contains("heart-rate-max") && shown.hasSuffix("read heart-rate-m")
                }
            }
            #expect(isDiscovered)
            terminal.type("\u{15}")
            try await enter("rea\tmodel\t", on: terminal)
            try await type("read bat\t--f\t\t", on: terminal, until: "a list") {
                $0.contains("--fault") && $0.hasSuffix("--f")
            }
            terminal.type("\u{15}\u{04}")
        }
        #expect(status == 0)
        #expect(screen.lines.contains("\(Self.prompt)read model-number-string"), "\(screen.lines)")
        #expect(screen.lines.contains("Pulse HR 2"))
        #expect(screen.lines.contains("\(Self.prompt)read battery-level --f"), "\(screen.lines)")
        #expect(screen.unknown.isEmpty, "\(screen.unknown)")
    }

    /// Types, and waits until what was drawn since then is as wanted.
    private func type(
        _ text: String,
        on terminal: PseudoTerminal,
        until what: String,
        isMet: (String) -> Bool
    ) async throws {
        let before = terminal.output.text.utf8.count
        terminal.type(text)
        try await terminal.waits("\(what) to \(text.debugDescription)") { output in
            isMet(String(decoding: output.utf8.dropFirst(before), as: UTF8.self))
        }
    }

    @Test func `earlier lines come back, even in the next shell`() async throws {
        try await TemporaryFolder.use { folder in
            let environment = ["HOME": folder.path]
            _ = try await run(environment: environment) { terminal, _ in
                try await enter("read battery-level", on: terminal)
                try await enter(" read appearance", on: terminal)
                try await enter("lookup 0x180D", on: terminal)
                terminal.type("\u{04}")
            }
            let file = folder.appending(path: ".local/state/blectl/history").path
            #expect(try String(contentsOfFile: file, encoding: .utf8) == "read battery-level\nlookup 0x180D\n")
            let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            let (_, _, screen) = try await run(environment: environment) { terminal, _ in
                terminal.type("\u{1B}[A\u{1B}[A")
                try await terminal.waits("the line") { $0.contains("battery-level") }
                try await enter("", on: terminal)
                terminal.type("\u{04}")
            }
            #expect(screen.lines.contains("87 %"), "\(screen.lines)")
        }
    }

    @Test func `values appear above the typed line`() async throws {
        let (status, drawn, screen) = try await run { terminal, _ in
            try await enter("notify heart-rate-measurement &", on: terminal)
            terminal.type("read bat")
            try await terminal.waits("values") { $0.components(separatedBy: " bpm").count > 3 }
            // The next value may come at once.
            let shown = try await terminal.waits("the line") { $0.hasSuffix("\(Self.prompt)read bat") }
            let lines = TerminalScreen(columns: 80, rows: 24, showing: shown).lines
            #expect(lines.last == "\(Self.prompt)read bat")
            #expect(lines.count { $0.contains("read bat") } == 1, "\(lines)")
            #expect(lines.count { $0.contains(" bpm") } >= 2, "\(lines)")
            try await enter("tery-level", on: terminal)
            try await enter("stop 1", on: terminal)
            terminal.type("\u{04}")
        }
        #expect(status == 0)
        #expect(screen.lines.contains("87 %"), "\(drawn.suffix(1_000))")
        #expect(screen.lines.contains { $0.hasSuffix("[1] stopped  notify heart-rate-measurement") }, "\(screen.lines)")
        #expect(screen.unknown.isEmpty, "\(screen.unknown)")
    }

    @Test func `values appear above a line of several rows, even in a changing window`() async throws {
        let (_, _, screen) = try await run(columns: 40) { terminal, child in
            try await enter("notify heart-rate-measurement &", on: terminal)
            terminal.type(Self.longLine)
            try await terminal.waits("values") { $0.components(separatedBy: " bpm").count > 2 }
            Self.expectLongLine(in: try await terminal.waits("the line") { $0.hasSuffix("789") })
            terminal.resize(columns: 100, rows: 24)
            child.signal(SIGWINCH)
            try await type("", on: terminal, until: "a value, and the whole line in one row") {
                $0.contains(" bpm") && $0.hasSuffix(Self.prompt + Self.longLine)
            }
            try await interrupt(child, on: terminal)
            terminal.type("\u{04}")
        }
        #expect(screen.unknown.isEmpty, "\(screen.unknown)")
    }

    @Test func `Ctrl-D exactly at the prompt ends it`() async throws {
        for _ in 0..<8 {
            let terminal = try PseudoTerminal(columns: 80, rows: 24)
            let arguments = ["--simulate", "shell", "-d", "Pulse HR"]
            let (status, _) = try await terminal.run(arguments, hasKeyboard: true) { _ in
                // Without the long pauses of `waits`, in which the shell would get the terminal ready.
                for _ in 0..<300_000 where !terminal.output.text.hasSuffix(Self.prompt) {
                    try await Task.sleep(for: .milliseconds(1))
                }
                terminal.type("\u{04}")
            }
            #expect(status == 0)
        }
    }

    @Test(arguments: ["", "read battery-level\r"])
    func `a line and Ctrl-D typed during a command are obeyed after it`(_ line: String) async throws {
        let (status, drawn, _) = try await run { terminal, _ in
            terminal.type("notify heart-rate-measurement --count 2\r")
            try await terminal.waits("a value") { $0.contains(" bpm") }
            terminal.type("\(line)\u{04}")
            try await terminal.waits("the end of the shell") { output in
                let parts = output.components(separatedBy: Self.prompt)
                return parts.count > (line.isEmpty ? 2 : 3) && parts.last?.last?.isNewline == true
            }
        }
        #expect(status == 0)
        #expect(drawn.contains("87 %") == !line.isEmpty, "\(drawn.suffix(1_000).debugDescription)")
    }

    @Test func `Ctrl-C gives up a line, and ends a command`() async throws {
        let (status, drawn, screen) = try await run(["-v", "--color", "never"]) { terminal, child in
            terminal.type("read nonsense")
            try await terminal.waits("the line") { $0.contains("nonsense") }
            try await interrupt(child, on: terminal)
            terminal.type("notify heart-rate-measurement\r")
            try await terminal.waits("a value") { $0.contains(" bpm") }
            try await interrupt(child, on: terminal)
            try await enter("read battery-level", on: terminal)
            terminal.type("\u{04}")
        }
        #expect(status == 0)
        #expect(!drawn.contains("invalid value"))
        #expect(screen.lines.contains("87 %"), "the link is still there")
        let switches = Trace(Self.plain(drawn)).writes.map(\.value)
        #expect(switches == ["0100", "0000"], "the command has cleaned up")
    }

    @Test func `it stops on SIGTSTP, and continues with the line`() async throws {
        let terminal = try PseudoTerminal(columns: 80, rows: 24)
        let before = try settings(of: terminal)
        let arguments = ["--simulate", "shell", "-d", "Pulse HR"]
        let (status, _) = try await terminal.run(arguments, hasKeyboard: true) { child in
            try await terminal.waits("a prompt") { $0.hasSuffix(Self.prompt) }
            terminal.type("read bat")
            try await terminal.waits("the line") { $0.hasSuffix("read bat") }
            #expect(try settings(of: terminal) != before)
            child.signal(SIGTSTP)
            try await child.waitUntilStopped()
            #expect(try settings(of: terminal) == before, "the terminal is as it was")
            child.signal(SIGCONT)
            try await terminal.waits("the line again") { $0.components(separatedBy: "read bat").count == 3 }
            try await enter("tery-level", on: terminal)
            #expect(terminal.output.text.contains("87 %"))
            terminal.type("\u{04}")
        }
        #expect(status == 0)
        #expect(try settings(of: terminal) == before)
    }

    @Test(arguments: [SIGTERM, SIGHUP])
    func `a signal ends it, and restores the device and the terminal`(_ number: Int32) async throws {
        let terminal = try PseudoTerminal(columns: 80, rows: 24)
        let before = try settings(of: terminal)
        let arguments = ["--simulate", "shell", "-d", "Pulse HR", "-v", "--color", "never"]
        let (status, drawn) = try await terminal.run(arguments, hasKeyboard: true) { child in
            try await terminal.waits("a prompt") { $0.hasSuffix(Self.prompt) }
            try await enter("notify heart-rate-measurement &", on: terminal)
            terminal.type("read bat")
            try await terminal.waits("a value") { $0.contains(" bpm") }
            child.signal(number)
        }
        #expect(status == -number)
        #expect(try settings(of: terminal) == before)
        for value in ["0100", "0000"] {
            let count = drawn.components(separatedBy: "Write Request 0x0011 \(value)").count - 1
            #expect(count == 1, "\(value): \(drawn.suffix(1_000).debugDescription)")
        }
    }

    @Test func `a lost link is reported above the prompt, and the next command makes it again`() async throws {
        let terminal = try PseudoTerminal(columns: 200, rows: 24)
        let arguments = ["--simulate", "--fault", "connect: drop after 2s once", "shell", "-d", "Pulse HR"]
        let (status, _) = try await terminal.run(arguments, hasKeyboard: true) { child in
            // On a busy machine the link may be lost before this task sees the first prompt.
            try await terminal.waits("a prompt") {
                $0.hasSuffix(Self.prompt) || $0.hasSuffix("Pulse HR (not connected)> ")
            }
            terminal.type("read bat")
            try await terminal.waits("the loss") { $0.hasSuffix("Pulse HR (not connected)> read bat") }
            let lines = terminal.screen(columns: 200, rows: 24).lines
            #expect(lines.dropLast().last?.hasPrefix("blectl: the link to Pulse HR was lost: ") == true, "\(lines)")
            try await enter("tery-level", on: terminal)
            #expect(terminal.output.text.contains("87 %"))
            #expect(terminal.output.text.hasSuffix(Self.prompt))
            terminal.type("\u{04}")
        }
        #expect(status == 0)
    }

    @Test func `without libedit the terminal edits the lines`() async throws {
        try await TemporaryFolder.use { folder in
            let (status, _, screen) = try await run(["--plain"], environment: ["HOME": folder.path]) {
                terminal,
                child in
                try await enter("notify heart-rate-measurement &", on: terminal)
                terminal.type("read battery")
                try await terminal.waits("values") { $0.components(separatedBy: " bpm").count > 2 }
                try await enter("-level", on: terminal)
                try await interrupt(child, on: terminal)
                terminal.type("\u{04}")
            }
            #expect(status == 0)
            #expect(screen.lines.contains("87 %"), "\(screen.lines)")
            #expect(screen.unknown.isEmpty, "\(screen.unknown)")
            let state = folder.appending(path: ".local/state/blectl/history").path
            #expect(!FileManager.default.fileExists(atPath: state))
        }
    }

    @Test func `names from the air cannot move the cursor`() async throws {
        let terminal = try PseudoTerminal(columns: 100, rows: 24)
        let arguments = ["--simulate", "shell", "-d", "CE:66:60:00:00:66", "--address-type", "random"]
        let (status, drawn) = try await terminal.run(arguments, hasKeyboard: true) { _ in
            try await terminal.waits("a prompt") { $0.hasSuffix("> ") }
            try await enter("scan --count 23 --duration 5", on: terminal)
            try await enter("connect CE:66:60:00:00:66", on: terminal)
            try await enter("links", on: terminal)
            terminal.type("use \t\t\u{15}\u{04}")
        }
        #expect(status == 0)
        let screen = TerminalScreen(columns: 100, rows: 24, showing: drawn)
        #expect(screen.unknown.isEmpty, "\(screen.unknown)")
        #expect(!drawn.contains("\u{1B}]0;"))
    }

    @Test func `virtual time has no terminal`() async throws {
        let terminal = try PseudoTerminal(columns: 80, rows: 24)
        let (status, drawn) = try await terminal.run(Blectl.virtual + ["shell"], hasKeyboard: true)
        #expect(status == 64)
        #expect(drawn.contains("virtual time does not pass while a person types"))
    }

    /// The modes of the terminal.
    private func settings(of terminal: PseudoTerminal) throws -> [tcflag_t] {
        var settings = termios()
        try #require(tcgetattr(terminal.device.fileDescriptor, &settings) == 0)
        return [settings.c_iflag, settings.c_oflag, settings.c_cflag, settings.c_lflag]
    }
}
