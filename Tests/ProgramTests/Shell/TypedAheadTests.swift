// SPDX-License-Identifier: GPL-2.0-or-later

import Glibc
import Testing

@testable import Terminal
@testable import Toolkit

@Suite("Keys that are typed ahead")
struct TypedAheadTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The octets that are typed before the editor has the terminal. The last one makes them readable.
        let before: [UInt8]
        /// Those that are typed afterwards.
        let after: [UInt8]
        let keys: [UInt8]
        var endKey: UInt8 = 0x04
        /// Whether the terminal edits lines itself before the editor has it.
        var editsLines = true
    }

    private static let rows = [
        Row(testDescription: "Ctrl-D", before: [0x04], after: [0x61], keys: [0x04, 0x61]),
        Row(
            testDescription: "Ctrl-D after a line, and keys of the editor",
            before: [0x61, 0x0A, 0x04],
            after: [0x04, 0x00],
            keys: [0x61, 0x0A, 0x04, 0x04, 0x00]
        ),
        Row(
            testDescription: "another key for the end",
            before: [0x18],
            after: [0x00],
            keys: [0x18, 0x00],
            endKey: 0x18
        ),
        Row(testDescription: "no key for the end", before: [0x04, 0x0A], after: [], keys: [0x04, 0x0A], endKey: 0),
        Row(
            testDescription: "a terminal that edits no lines",
            before: [0x00, 0x04],
            after: [],
            keys: [0x00, 0x04],
            editsLines: false
        ),
    ]

    @Test("the key that ends the input is kept", arguments: rows)
    func end(_ row: Row) throws {
        var (controller, device) = (Int32(-1), Int32(-1))
        try #require(openpty(&controller, &device, nil, nil, nil) == 0)
        let (keyboard, terminal) = (controller, device)
        defer {
            close(keyboard)
            close(terminal)
        }
        setMode(of: terminal, editsLines: row.editsLines, endKey: row.endKey)
        #expect(write(keyboard, row.before, row.before.count) == row.before.count)
        // The terminal takes the octets after write(2) has returned.
        var entry = pollfd(fd: terminal, events: Int16(POLLIN), revents: 0)
        try #require(poll(&entry, 1, -1) == 1)
        var ahead = TypedAhead(on: terminal) { setMode(of: terminal, editsLines: false, endKey: row.endKey) }
        #expect(write(keyboard, row.after, row.after.count) == row.after.count)
        var keys: [UInt8] = []
        while keys.count < row.before.count + row.after.count {
            var octet: UInt8 = 0
            try #require(read(terminal, &octet, 1) == 1)
            keys.append(ahead.key(octet))
        }
        #expect(keys == row.keys)
    }

    /// Runs `body` with the keyboard and the terminal of a terminal that edits lines itself, and echoes what is typed.
    private func onTerminal(_ body: (_ keyboard: Int32, _ terminal: Int32) throws -> Void) throws {
        var (controller, device) = (Int32(-1), Int32(-1))
        try #require(openpty(&controller, &device, nil, nil, nil) == 0)
        defer {
            close(controller)
            close(device)
        }
        try body(controller, device)
    }

    /// Types, and waits for the echo of the last character, with which the terminal has all of them.
    private func type(_ text: String, _ keyboard: Int32) throws {
        let octets = Array(text.utf8)
        #expect(write(keyboard, octets, octets.count) == octets.count)
        var echo: [UInt8] = []
        while echo.count < octets.count || echo.last != octets.last {
            var octet: UInt8 = 0
            try #require(read(keyboard, &octet, 1) == 1)
            echo.append(octet)
        }
    }

    private func isReadable(_ terminal: Int32) -> Bool {
        var entry = pollfd(fd: terminal, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) > 0
    }

    @Test func `text typed before a question is discarded`() throws {
        try onTerminal { keyboard, terminal in
            try type("y\n", keyboard)
            // The source closes its descriptor.
            ByteSource(descriptor: dup(terminal), name: "terminal", blocking: nil).discardTyped()
            #expect(!isReadable(terminal))
            try type("n\n", keyboard)
            var octets = [UInt8](repeating: 0, count: 8)
            let count = read(terminal, &octets, octets.count)
            #expect(Array(octets.prefix(max(0, count))) == Array("n\n".utf8))
        }
    }

    @Test func `whole lines typed before a question are taken, and a partial one is not`() throws {
        try onTerminal { keyboard, terminal in
            try type("y\nread 0x2A19\n\u{4}z", keyboard)
            let lines = TypedAhead.takeLines(from: terminal)
            #expect(lines == [.line("y"), .line("read 0x2A19"), .end])
            #expect(!isReadable(terminal))
            // Enter alone would otherwise complete the beginning.
            try type("\n", keyboard)
            #expect(TypedAhead.takeLines(from: terminal) == [.line("")])
            #expect(TypedAhead.takeLines(from: terminal) == [])
        }
    }

    @Test func `keys that an editor had not read are obeyed in the lines before a question`() throws {
        try onTerminal { keyboard, terminal in
            setMode(of: terminal, editsLines: false, endKey: 4)
            let octets = Array("look\u{7F}\u{7F}ok ö\u{7F}x\rgone\u{15}help\r\u{4}".utf8)
            #expect(write(keyboard, octets, octets.count) == octets.count)
            while !isReadable(terminal) { usleep(1_000) }
            setMode(of: terminal, editsLines: true, endKey: 4)
            #expect(TypedAhead.takeLines(from: terminal) == [.line("look x"), .line("help"), .end])
        }
    }

    private func setMode(of terminal: Int32, editsLines: Bool, endKey: UInt8) {
        var settings = termios()
        #expect(tcgetattr(terminal, &settings) == 0)
        settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
        if editsLines { settings.c_lflag |= tcflag_t(ICANON) }
        withUnsafeMutableBytes(of: &settings.c_cc) { characters in
            characters[Int(VEOF)] = endKey
            characters[Int(VMIN)] = 1
            characters[Int(VTIME)] = 0
        }
        #expect(tcsetattr(terminal, TCSANOW, &settings) == 0)
    }
}
