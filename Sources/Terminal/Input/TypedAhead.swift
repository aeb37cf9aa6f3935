// SPDX-License-Identifier: GPL-2.0-or-later

import Glibc

/// The octets that were typed before an editor had the terminal, and that the editor reads.
///
/// A terminal that edits lines itself removes the key that ends the input, Ctrl-D, and keeps a zero in its place. An
/// editor that takes the terminal over gets this zero as if it had been typed, so that Ctrl-D that was typed while a
/// command ran would be lost. (Linux, line discipline N_TTY.)
package struct TypedAhead {
    /// The number of these octets that are not read yet.
    private var count = 0
    /// The key that ended the input; 0 if none did.
    private var endKey: UInt8 = 0

    package init() {}

    /// Gives a terminal another mode, and counts the octets that it has from before.
    ///
    /// - Parameters:
    ///   - terminal: The descriptor of the terminal.
    ///   - change: Changes the mode, so that the terminal no longer edits lines itself.
    package init(on terminal: Int32, changingMode change: () -> Void) {
        var before = termios()
        let isKnown = tcgetattr(terminal, &before) == 0
        change()
        // A terminal that did not edit lines has replaced no key.
        guard isKnown, before.c_lflag & tcflag_t(ICANON) != 0 else { return }
        var waiting: Int32 = 0
        guard ioctl(terminal, UInt(FIONREAD), &waiting) == 0 else { return }
        count = Int(waiting)
        endKey = withUnsafeBytes(of: before.c_cc) { $0[Int(VEOF)] }
    }

    /// Takes the lines that were typed before a question, so that they do not answer it, and are still there for what
    /// asks for lines afterwards. The beginning of a further line is discarded, because a terminal that edits lines
    /// itself gives no part of a line away.
    ///
    /// - Parameter terminal: The descriptor of a terminal that edits lines itself.
    package static func takeLines(from terminal: Int32) -> [LineOutcome] {
        guard ForegroundTerminal.isOurs(terminal) else { return [] }
        defer { tcflush(terminal, TCIFLUSH) }
        var lines = TypedLines(terminal)
        var octets = [UInt8](repeating: 0, count: 4_096)
        while lines.outcomes.count < mostLines, hasInput(terminal) {
            let count = read(terminal, &octets, octets.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { break }
            if count == 0 { lines.endInput() }
            for octet in octets.prefix(count) { lines.take(octet) }
        }
        return lines.outcomes
    }

    /// The maximum number of lines that are taken before a question. A terminal holds 4,096 octets, and a program that writes to it
    /// without end must not keep the question from being asked.
    private static let mostLines = 4_096

    /// Whether octets, or the key that ends the input, can be read at once.
    private static func hasInput(_ terminal: Int32) -> Bool {
        var entry = pollfd(fd: terminal, events: Int16(POLLIN), revents: 0)
        // A terminal that was hung up has an end at every read.
        return poll(&entry, 1, 0) > 0 && entry.revents & Int16(POLLIN) != 0 && entry.revents & Int16(POLLHUP) == 0
    }

    /// The key for the next octet that is read.
    package mutating func key(_ octet: UInt8) -> UInt8 {
        guard count > 0 else { return octet }
        count -= 1
        return octet == 0 ? endKey : octet
    }
}

/// The lines in octets of a terminal. A key that was pressed while an editor had the terminal is still the key itself, and
/// is obeyed here.
private struct TypedLines {
    private(set) var outcomes: [LineOutcome] = []
    private var line: [UInt8] = []
    /// The key that ends the input; 0 if none does.
    private let end: UInt8
    /// The key that removes a character; 0 if none does.
    private let erase: UInt8
    /// The key that removes the line; 0 if none does.
    private let kill: UInt8

    init(_ terminal: Int32) {
        var settings = termios()
        guard tcgetattr(terminal, &settings) == 0 else {
            (end, erase, kill) = (0, 0, 0)
            return
        }
        (end, erase, kill) = withUnsafeBytes(of: settings.c_cc) { ($0[Int(VEOF)], $0[Int(VERASE)], $0[Int(VKILL)]) }
    }

    mutating func take(_ octet: UInt8) {
        switch octet {
        case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
            outcomes.append(.line(String(decoding: line, as: UTF8.self)))
            line = []
        // A zero is no key.
        case 0: line.append(octet)
        case end: endInput()
        // Terminals send either of these for the key Backspace.
        case erase, 0x08, 0x7F:
            while let last = line.popLast(), last & 0xC0 == 0x80 {}
        case kill: line = []
        default: line.append(octet)
        }
    }

    /// The key that ends the input. In a line that has begun it does not.
    mutating func endInput() {
        if line.isEmpty { outcomes.append(.end) }
    }
}

/// The terminal whose keys are meant for this process.
package enum ForegroundTerminal {
    /// Whether keys that were typed on a terminal are meant for this process. A job in the background must not take
    /// what is typed for the program in the foreground. The kernel stops such a job only if it does not block SIGTTOU
    /// and SIGTTIN, which threads of a program may do.
    package static func isOurs(_ terminal: Int32) -> Bool {
        let foreground = tcgetpgrp(terminal)
        // A terminal that does not control the session has no foreground.
        return foreground < 0 || foreground == getpgrp()
    }
}
