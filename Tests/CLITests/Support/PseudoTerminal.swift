// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import Synchronization
import TestProcesses
import Testing

/// A terminal whose user is the test.
struct PseudoTerminal: Sendable {
    /// The program on the terminal, once it runs.
    private final class Running: Sendable {
        let child = Mutex<Child?>(nil)
    }

    private let running = Running()
    /// The output of the program so far.
    let output: OutputCollector
    /// The program's end.
    let device: FileHandle
    private let controller: Int32

    init(columns: Int, rows: Int) throws {
        var (end, other) = (Int32(-1), Int32(-1))
        try #require(openpty(&end, &other, nil, nil, nil) == 0)
        // Raw output: no carriage returns are added to line feeds.
        var settings = termios()
        try #require(tcgetattr(other, &settings) == 0)
        settings.c_oflag &= ~tcflag_t(OPOST)
        try #require(tcsetattr(other, TCSANOW, &settings) == 0)
        controller = end
        device = FileHandle(fileDescriptor: other, closeOnDealloc: true)
        // Reading fails when the other end was closed everywhere, and then the descriptor is closed.
        output = OutputCollector(end)
        resize(columns: columns, rows: rows)
    }

    /// Changes the size of the window.
    func resize(columns: Int, rows: Int) {
        var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(controller, UInt(TIOCSWINSZ), &size)
    }

    /// Types on the keyboard.
    func type(_ text: String) {
        let octets = Array(text.utf8)
        _ = write(controller, octets, octets.count)
    }

    /// Waits until the output so far is as wanted, and returns it. The end of the program ends the wait, or the limit of
    /// the test.
    @discardableResult
    func waits(_ what: String, until isMet: (String) -> Bool) async throws -> String {
        // After its end, the last output may still be on its way to the collector.
        var turnsAfterEnd = 0
        while true {
            let text = output.text
            if isMet(text) { return text }
            if running.child.withLock({ $0?.isRunning == false }) { turnsAfterEnd += 1 }
            do {
                guard turnsAfterEnd < 200 else { throw EndedProgram() }
                try await Task.sleep(for: .milliseconds(25))
            } catch {
                Issue.record("never \(what): \(text.suffix(2_000).debugDescription)")
                throw error
            }
        }
    }

    /// The program has ended before its output was as wanted.
    private struct EndedProgram: Error {}

    /// What the terminal shows after the output so far.
    func screen(columns: Int, rows: Int) -> TerminalScreen {
        TerminalScreen(columns: columns, rows: rows, showing: output.text)
    }

    /// Runs blectl with standard output and standard error on the terminal.
    ///
    /// - Parameters:
    ///   - program: Another program than blectl.
    ///   - hasKeyboard: Whether standard input is the terminal, too.
    ///   - meddle: The actions of the user meanwhile.
    func run(
        _ arguments: [String],
        program: String = Blectl.path,
        hasKeyboard: Bool = false,
        environment: [String: String] = [:],
        _ meddle: (Child) async throws -> Void = { _ in }
    ) async throws -> (status: Int32, drawn: String) {
        let child = try Child(
            Program(program, arguments),
            input: hasKeyboard ? device : FileHandle.nullDevice,
            output: device,
            error: device,
            environment: ["TERM": "xterm-256color", "LANG": "C.UTF-8", "HOME": "/nonexistent"].merging(environment) {
                $1
            }
        )
        running.child.withLock { $0 = child }
        do {
            try await meddle(child)
        } catch {
            child.signal(SIGKILL)
            _ = try? await child.status()
            throw error
        }
        let status = try await child.status()
        // A mark behind the program's output shows when all of it was read.
        let mark = "(end of output)"
        try device.write(contentsOf: Data(mark.utf8))
        try #require(await output.contains(mark))
        return (status, String(output.text.dropLast(mark.count)))
    }
}
