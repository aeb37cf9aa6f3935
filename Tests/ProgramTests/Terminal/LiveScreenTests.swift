// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import CommandLineInterface
import SimulatedRadio
import Synchronization
import Testing

@testable import Terminal
@testable import Toolkit

@Suite("LiveScreen")
struct LiveScreenTests {
    /// A terminal in the memory of a test.
    private final class MemoryTerminal: LiveTerminal {
        struct State {
            var appearance: Int? = 1
            var isBehind = false
            var pictures: [String] = []
            var isOpen = false
            var readCount = 0
        }

        let state = Mutex(State())
        private let typed: AsyncStream<[UInt8]>
        private let typing: AsyncStream<[UInt8]>.Continuation

        init() { (typed, typing) = AsyncStream<[UInt8]>.makeStream() }

        func type(_ text: String) { typing.yield(Array(text.utf8)) }

        var pictures: [String] { state.withLock { $0.pictures } }

        let size = ScreenSize(columns: 20, rows: 3)
        let hasKeys = true

        func open() -> AsyncStream<TerminalEvent> {
            state.withLock { $0.isOpen = true }
            return AsyncStream<TerminalEvent>.makeStream().stream
        }

        func appearance() -> Int? { state.withLock { $0.appearance } }
        var isBehind: Bool { state.withLock { $0.isBehind } }
        func show(_ picture: String) { state.withLock { $0.pictures.append(picture) } }

        func keys() async throws -> [UInt8] {
            state.withLock { $0.readCount += 1 }
            for await octets in typed {
                // What is typed in the background belongs to another program.
                guard state.withLock({ $0.appearance != nil }) else { throw CancellationError() }
                return octets
            }
            return []
        }

        func close() { state.withLock { $0.isOpen = false } }
    }

    private struct Log: LiveView {
        var keys: [TerminalKey] = []
        var ticks = 0

        func lines(_ size: ScreenSize, _ style: TextStyle, message: String?) -> [StyledLine] {
            [StyledLine("\(keys.count) keys"), StyledLine("\(ticks / 4)"), StyledLine(message ?? "")]
        }

        mutating func pressed(_ key: TerminalKey) -> KeyEffect {
            keys.append(key)
            return key == .character("q") ? .quit : .redraw
        }
    }

    private final class Lines: ByteSink {
        let text = Mutex("")
        func write(_ bytes: Span<UInt8>) {
            let octets = bytes.withUnsafeBufferPointer { Array($0) }
            text.withLock { $0 += String(decoding: octets, as: UTF8.self) }
        }
    }

    /// Shows a screen in virtual time while `user` acts. It ends when the user quits.
    private func show(
        _ user: @escaping @Sendable (MemoryTerminal, LiveScreen<Log>, Diagnostics, VirtualTime) async throws -> Void
    ) throws -> (log: Log, terminal: MemoryTerminal, messages: String) {
        let (time, terminal, lines) = (VirtualTime(), MemoryTerminal(), Lines())
        let style = TextStyle(usesColor: false, isTerminal: true)
        let notes = Diagnostics(lines, style: style, isQuiet: false, verbosity: 0)
        let screen = LiveScreen(Log(), on: terminal, style: style, notes: notes, time: time)
        try time.run {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await screen.run(every: .milliseconds(100)) { screen.with { $0.ticks += 1 } } }
                group.addTask { try await user(terminal, screen, notes, time) }
                try await group.waitForAll()
            }
            try screen.close()
        }
        return (screen.with { $0 }, terminal, lines.text.withLock { $0 })
    }

    @Test("Esc is a key after a moment, and before that the beginning of a sequence")
    func escape() throws {
        let (log, terminal, _) = try show { terminal, screen, _, time in
            terminal.type("\u{1B}")
            try await time.sleep(for: .milliseconds(60))
            #expect(screen.with { $0.keys } == [.escape])
            terminal.type("\u{1B}")
            try await time.sleep(for: .milliseconds(20))
            terminal.type("[A")
            try await time.sleep(for: .milliseconds(100))
            terminal.type("\u{1B}")
            try await time.sleep(for: .milliseconds(20))
            // The pause after the first of the two is over before that of the second.
            terminal.type("\u{1B}")
            try await time.sleep(for: .milliseconds(60))
            terminal.type("q")
        }
        #expect(log.keys == [.escape, .up, .escape, .escape, .character("q")])
        #expect(!terminal.state.withLock { $0.isOpen })
    }

    @Test("the background neither draws nor reads keys, and the foreground draws everything again")
    func background() throws {
        let (log, terminal, _) = try show { terminal, _, _, time in
            try await time.sleep(for: .seconds(1))
            terminal.state.withLock { $0.appearance = nil }
            let count = terminal.pictures.count
            terminal.type("ls")
            try await time.sleep(for: .seconds(5))
            #expect(terminal.pictures.count == count)
            #expect(terminal.state.withLock { $0.readCount } == 1, "a read that fails is not repeated at once")
            terminal.state.withLock { $0.appearance = 2 }
            try await time.sleep(for: .milliseconds(150))
            #expect(terminal.pictures.last?.contains("0 keys") == true, "a whole picture")
            terminal.type("q")
        }
        #expect(log.keys == [.character("q")])
        #expect(terminal.pictures.count > 2)
    }

    @Test("a slow terminal gets only the present picture")
    func behind() throws {
        let (_, terminal, _) = try show { terminal, _, _, time in
            try await time.sleep(for: .seconds(1))
            terminal.state.withLock { $0.isBehind = true }
            let count = terminal.pictures.count
            try await time.sleep(for: .seconds(10))
            #expect(terminal.pictures.count == count)
            terminal.state.withLock { $0.isBehind = false }
            try await time.sleep(for: .milliseconds(150))
            #expect((count + 1...count + 2).contains(terminal.pictures.count))
            terminal.type("q")
        }
        #expect(terminal.pictures.count < 10)
    }

    @Test("messages are shown on the screen, and printed after its end")
    func messages() throws {
        let (_, terminal, messages) = try show { terminal, _, notes, time in
            notes.note("something \u{1B}[31mred")
            try await time.sleep(for: .milliseconds(150))
            notes.progress("connecting …")
            try await time.sleep(for: .milliseconds(150))
            for number in 0..<150 { notes.error(BlectlError(.ioError, "failure \(number)")) }
            terminal.type("q")
        }
        #expect(terminal.pictures.contains { $0.contains("blectl: something …") })
        #expect(terminal.pictures.contains { $0.contains("connecting …") })
        let lines = messages.split(separator: "\n")
        #expect(lines.first == "blectl: 51 messages left out" && lines.last == "blectl: failure 149")
        #expect(lines.count == 101 && !messages.contains("connecting"))
    }
}
