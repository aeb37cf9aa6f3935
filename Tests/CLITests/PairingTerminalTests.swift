// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

/// A person who is asked at a terminal, in real time, because a person does not answer in virtual time.
@Suite("Pairing at a terminal", .startsPrograms())
struct PairingTerminalTests {
    /// Runs a command line at which the passkey is entered, and compares what is on the screen with a golden text.
    private func compare(_ line: String, _ name: String) async throws {
        try await TemporaryFolder.use { folder in
            let terminal = try PseudoTerminal(columns: 150, rows: 24)
            let (status, drawn) = try await terminal.run(
                ["--simulate=security"] + TypedCommand(line).arguments,
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

    @Test func `a program that reads records is asked nothing`() async throws {
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
