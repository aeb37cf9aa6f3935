// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

/// A person who is asked at a terminal, in real time, because a person does not answer in virtual time.
@Suite("Pairing at a terminal", .startsPrograms(isLong: true))
struct PairingTerminalTests {
    /// Time for the answer. The threads of the tests may all compute for longer than a person is waited for.
    private static let patience = ["--timeout", "600"]

    /// Runs a command line at which the passkey is entered, and compares what is on the screen with a golden text.
    private func compare(_ line: String, _ name: String) async throws {
        try await TemporaryFolder.use { folder in
            let terminal = try PseudoTerminal(columns: 150, rows: 24)
            let (status, drawn) = try await terminal.run(
                ["--simulate=security"] + TypedCommand(line).arguments + Self.patience,
                hasKeyboard: true,
                environment: ["XDG_STATE_HOME": folder.path]
            ) { _ in
                try await terminal.waits("the question") { $0.contains("the six digits that Passkey Shown") }
                terminal.type("271828\n")
            }
            #expect(status == 0, "\(drawn)")
            let screen = TerminalScreen(columns: 150, rows: 24, showing: drawn)
            #expect(screen.unknown.isEmpty && screen.isCursorVisible, "\(screen.unknown)")
            try Golden.expect((["$ blectl \(line)"] + screen.lines).joined(separator: "\n") + "\n", equals: name)
        }
    }

    @Test func `pair asks for the passkey`() async throws {
        try await compare("pair 'Passkey Shown'", "pair-on-a-terminal.txt")
    }

    @Test func `a read asks for the passkey, and shows the value`() async throws {
        try await compare("read battery-level -d 'Passkey Shown'", "read-on-a-terminal.txt")
    }

    @Test func `text typed before the digits are shown does not confirm them`() async throws {
        try await TemporaryFolder.use { folder in
            let terminal = try PseudoTerminal(columns: 150, rows: 24)
            terminal.type("y\n")
            let (status, drawn) = try await terminal.run(
                ["--simulate=security", "pair", "Compare"] + Self.patience,
                hasKeyboard: true,
                environment: ["XDG_STATE_HOME": folder.path]
            ) { _ in
                try await terminal.waits("the question") { $0.contains("? [y/N] ") }
                terminal.type("\n")
            }
            #expect(status == 1 && drawn.contains("the answer was no"), "\(status) \(drawn)")
        }
    }

    /// Runs a shell whose first line pairs; `type` is the user from the question on.
    private func shell(
        _ options: [String] = Self.patience,
        _ type: (PseudoTerminal) async throws -> Void
    ) async throws {
        try await TemporaryFolder.use { folder in
            let terminal = try PseudoTerminal(columns: 150, rows: 24)
            let (status, drawn) = try await terminal.run(
                ["--simulate=security", "shell"],
                hasKeyboard: true,
                environment: ["XDG_STATE_HOME": folder.path]
            ) { _ in
                try await terminal.waits("a prompt") { $0.hasSuffix("> ") }
                terminal.type("pair 'Passkey Shown' \(options.joined(separator: " "))\r")
                try await terminal.waits("the question") { $0.contains("the six digits that Passkey Shown") }
                try await type(terminal)
                terminal.type("exit\r")
            }
            #expect(status == 0, "\(drawn)")
        }
    }

    @Test func `pair asks in a shell, too`() async throws {
        try await shell { terminal in
            terminal.type("271828\n")
            try await terminal.waits("the pairing") { $0.contains("by passkey entry") && $0.hasSuffix("> ") }
        }
    }

    @Test func `a line typed ahead in a shell answers no question, and runs afterwards`() async throws {
        try await TemporaryFolder.use { folder in
            let terminal = try PseudoTerminal(columns: 150, rows: 24)
            let (status, drawn) = try await terminal.run(
                ["--simulate=security", "shell"],
                hasKeyboard: true,
                environment: ["XDG_STATE_HOME": folder.path]
            ) { _ in
                try await terminal.waits("a prompt") { $0.hasSuffix("> ") }
                terminal.type("pair Compare \(Self.patience.joined(separator: " "))\rlookup battery-level\r")
                try await terminal.waits("the question") { $0.contains("? [y/N] ") }
                terminal.type("n\n")
                try await terminal.waits("the number") { $0.contains("0x2A19") && $0.hasSuffix("> ") }
                terminal.type("exit 0\r")
            }
            #expect(status == 0 && drawn.contains("the answer was no"), "\(status) \(drawn)")
        }
    }

    @Test func `an unanswered question in a shell takes no later line for the answer`() async throws {
        try await shell(["--timeout", "8"]) { terminal in
            try await terminal.waits("the failure") { $0.contains("cannot pair with") && $0.hasSuffix("> ") }
            terminal.type("lookup battery-level\r")
            try await terminal.waits("the number") { $0.contains("0x2A19") && $0.hasSuffix("> ") }
        }
    }

    @Test func `a program that reads records gets no question`() async throws {
        try await TemporaryFolder.use { folder in
            let terminal = try PseudoTerminal(columns: 150, rows: 24)
            let (status, drawn) = try await terminal.run(
                ["--simulate=security"] + TypedCommand("read battery-level -d 'Passkey Shown' --json").arguments,
                hasKeyboard: true,
                environment: ["XDG_STATE_HOME": folder.path]
            )
            #expect(status == 76 && !drawn.contains("the six digits that"), "\(drawn)")
        }
    }
}
