// SPDX-License-Identifier: GPL-2.0-or-later

import CEditLine
import Glibc
import Synchronization

/// Reads lines with libedit, which is loaded when the first shell needs it: editing, history, and completion.
package final class EditLine: LineReader {
    /// The addresses of libedit's objects, which one thread at a time uses.
    private struct Handles {
        var line: UInt
        var history: UInt?
    }

    fileprivate static let library: blectl_edit_library? = {
        var library = blectl_edit_library()
        return blectl_edit_load(&library) ? library : nil
    }()

    private let earlier: [String]
    private let limit: Int
    private let handles = Mutex<Handles?>(nil)

    /// An editor with earlier lines; `nil` if this machine has no libedit.
    package init?(history: [String], limit: Int) {
        guard Self.library != nil else { return nil }
        earlier = history
        self.limit = limit
    }

    package func remember(_ line: String) {
        guard var library = Self.library, let history = handles.withLock({ $0?.history }) else { return }
        blectl_edit_remember(&library, UnsafeMutableRawPointer(bitPattern: history), line)
    }

    /// Reads a line with libedit, or plainly if the library is missing.
    package func read(_ reading: LineReading) -> LineOutcome {
        // For this thread only: the rest of the program takes all text as UTF-8.
        let language = blectl_edit_begin_language()
        defer { blectl_edit_end_language(language) }
        guard var library = Self.library, let line = opened(reading) else {
            return PlainLines(movesCursor: true).read(reading)
        }
        let session = EditSession(reading, library)
        // The client data of the editor do not retain the session.
        return withExtendedLifetime(session) {
            blectl_edit_set_client(&library, line, Unmanaged.passUnretained(session).toOpaque())
            // Set before the editor prints its prompt: a Ctrl-D that is typed at the prompt in the former mode would be
            // the end of that mode's input, and would be lost.
            session.takeTerminal(line)
            var count: Int32 = 0
            let text = blectl_edit_gets(&library, line, &count).map { String(cString: $0) }
            if let outcome = session.outcome { return outcome }
            guard let text, count > 0 else {
                reading.write("\n")
                return .end
            }
            return .line(text.last == "\n" ? String(text.dropLast()) : text)
        }
    }

    /// Opens the editor on the thread that has the language of the user, which it asks for its characters.
    private func opened(_ reading: LineReading) -> UnsafeMutableRawPointer? {
        if let line = handles.withLock({ $0?.line }) { return UnsafeMutableRawPointer(bitPattern: line) }
        guard var library = Self.library,
            let line = blectl_edit_open(
                &library,
                // Copies, because the editor makes streams of them (fdopen(3)).
                fcntl(reading.input, F_DUPFD_CLOEXEC, 3),
                fcntl(reading.output, F_DUPFD_CLOEXEC, 3),
                // Functions for C capture nothing: they find the reading in the client data of the editor.
                { EditSession.of($0)?.next($0, $1) ?? 0 },
                { line, _ in EditSession.of(line)?.complete(line) ?? BLECTL_CC_ERROR },
                { EditSession.of($0)?.prompt }
            )
        else { return nil }
        let history = blectl_edit_history(&library, line, Int32(clamping: limit))
        for text in earlier { blectl_edit_remember(&library, history, text) }
        // After the key bindings of the shell, so that those of the user win.
        blectl_edit_read_settings(&library, line)
        handles.withLock { $0 = Handles(line: UInt(bitPattern: line), history: history.map { UInt(bitPattern: $0) }) }
        return line
    }
}

/// The reading of one line, on one thread.
private final class EditSession {
    let reading: LineReading
    /// The reason why there is no line, if it is not a key.
    private(set) var outcome: LineOutcome?
    /// The prompt as a C string.
    private(set) var prompt: UnsafeMutablePointer<CChar>?
    private var library: blectl_edit_library
    private var promptText: String
    private var typed = TypedOctets()
    private var ahead = TypedAhead()

    init(_ reading: LineReading, _ library: blectl_edit_library) {
        self.reading = reading
        self.library = library
        promptText = reading.prompt
        prompt = strdup(reading.prompt)
    }

    deinit { free(prompt) }

    /// The session of an editor that calls back.
    static func of(_ line: UnsafeMutableRawPointer?) -> EditSession? {
        guard var library = EditLine.library, let client = blectl_edit_client(&library, line) else { return nil }
        return Unmanaged<EditSession>.fromOpaque(client).takeUnretainedValue()
    }

    // MARK: - Keys

    func takeTerminal(_ line: UnsafeMutableRawPointer?) {
        ahead = TypedAhead(on: reading.input) { blectl_edit_prepare(&library, line, true) }
    }

    /// The next character: 1 with one, 0 at the end, -1 if there is to be no line.
    func next(_ line: UnsafeMutableRawPointer?, _ character: UnsafeMutablePointer<Int32>?) -> Int32 {
        while true {
            // Before the wait, because an octet that was read may be a key that follows an invalid one.
            if let scalar = typed.character() {
                character?.pointee = Int32(bitPattern: scalar.value)
                return 1
            }
            switch reading.control.wait(for: reading.input) {
            case .events(let events):
                obey(events, line)
                if let outcome { return outcome == .end ? 0 : -1 }
            case .input:
                var octet: UInt8 = 0
                let count = Glibc.read(reading.input, &octet, 1)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return 0 }
                typed.append(ahead.key(octet))
            }
        }
    }

    /// Carries out orders between two keys. Output is collected and printed at once, so that the line is redrawn only
    /// once.
    private func obey(_ events: [LineControl.Event], _ line: UnsafeMutableRawPointer?) {
        var text: [UInt8] = []
        var isDrawn = true
        for event in events {
            switch event {
            case .output(let bytes): text += bytes
            case .prompt(let other):
                free(prompt)
                (prompt, promptText, isDrawn) = (strdup(other), other, false)
            case .resized:
                // The editor itself draws nothing until it is asked to.
                clear(line)
                blectl_edit_resize(&library, line)
                isDrawn = false
            case .suspend(let done):
                goBehind(line)
                blectl_edit_prepare(&library, line, false)
                reading.restore()
                done()
            case .resume:
                takeTerminal(line)
                reading.write("\r\u{1B}[J")
                blectl_edit_refresh(&library, line)
            case .interrupt: outcome = .interrupted
            case .end: outcome = .end
            }
        }
        if !text.isEmpty || !isDrawn {
            clear(line)
            reading.writeLines(text)
            blectl_edit_refresh(&library, line)
        }
        if outcome != nil { goBehind(line) }
    }

    // MARK: - The screen

    private func text(_ line: UnsafeMutableRawPointer?) -> (before: String, whole: String) {
        let info = blectl_edit_line(&library, line)
        guard let start = info.buffer, let cursor = info.cursor, let end = info.end, start <= cursor, cursor <= end
        else {
            return ("", "")
        }
        func decode(to end: UnsafePointer<CChar>) -> String {
            let octets = UnsafeRawBufferPointer(start: start, count: end - start)
            return String(decoding: octets, as: UTF8.self)
        }
        return (decode(to: cursor), decode(to: end))
    }

    /// Removes the prompt and the line from the screen, and leaves the cursor where the prompt began.
    private func clear(_ line: UnsafeMutableRawPointer?) {
        let row = CursorPosition(behind: promptText + text(line).before, columns: reading.columns).row
        reading.write("\r" + (row > 0 ? "\u{1B}[\(row)A" : "") + "\u{1B}[J")
    }

    /// Moves the cursor to the beginning of the row after the line.
    private func goBehind(_ line: UnsafeMutableRawPointer?) {
        let (before, whole) = text(line)
        let cursor = CursorPosition(behind: promptText + before, columns: reading.columns)
        let end = CursorPosition(behind: promptText + whole, columns: reading.columns)
        reading.write(String(repeating: "\n", count: end.row - cursor.row) + "\r\n")
    }

    // MARK: - Completion

    /// Completes the word before the cursor. Returns the action for the editor.
    func complete(_ line: UnsafeMutableRawPointer?) -> UInt8 {
        switch reading.complete(text(line).before) {
        case .nothing: return BLECTL_CC_ERROR
        case .replace(let count, let text):
            blectl_edit_delete(&library, line, Int32(clamping: count))
            return blectl_edit_insert(&library, line, text) ? BLECTL_CC_REFRESH : BLECTL_CC_ERROR
        case .list(let words):
            goBehind(line)
            reading.write(Self.table(words, columns: reading.columns))
            blectl_edit_refresh(&library, line)
            return BLECTL_CC_NORM
        }
    }

    /// Words side by side, in the order of the columns.
    private static func table(_ words: [String], columns: Int) -> String {
        let width = (words.map { TerminalText.width(of: $0) }.max() ?? 0) + 2
        let across = max(1, (columns - 1) / width)
        let rows = (words.count + across - 1) / across
        return (0..<rows).map { row in
            let cells = stride(from: row, to: words.count, by: rows).map { words[$0] }
            let line = cells.dropLast().map { TerminalText.padded($0, columns: width) }.joined() + (cells.last ?? "")
            return line + "\r\n"
        }.joined()
    }
}

/// The effect of Tab on the word before the cursor.
package enum CompletionEffect: Equatable {
    case nothing
    /// So many characters before the cursor give way to a text.
    case replace(count: Int, with: String)
    /// Several words fit, and the text has all that they have in common.
    case list([String])
}

/// The octets that were typed and that are no character yet.
struct TypedOctets {
    private var begun: [UInt8] = []

    package mutating func append(_ octet: UInt8) { begun.append(octet) }

    /// Takes the character, if all of its octets are there; `nil` until then. Invalid octets become U+FFFD.
    ///
    /// An octet that does not continue the character before it belongs to the next one, which may be complete: this is
    /// called until it returns `nil`.
    package mutating func character() -> Unicode.Scalar? {
        let length =
            switch begun.first ?? 0 {
            case 0xC2...0xDF: 2
            case 0xE0...0xEF: 3
            case 0xF0...0xF4: 4
            default: 1
            }
        let isBroken = begun.dropFirst().contains { !(0x80...0xBF ~= $0) }
        guard begun.count >= length || isBroken else { return nil }
        let octets = isBroken ? begun.dropLast() : begun[...]
        begun.removeFirst(octets.count)
        return String(decoding: octets, as: UTF8.self).unicodeScalars.first
    }
}

/// The end of a text on a terminal that began in the first column.
struct CursorPosition: Equatable {
    /// The row, counted from that of the beginning.
    package var row = 0
    package var column = 0

    /// The place after a text.
    ///
    /// - Parameter columns: Those of the terminal, at least 1. A line that is full goes on in the next row.
    init(behind text: String, columns: Int) {
        let columns = max(1, columns)
        for scalar in text.unicodeScalars {
            if scalar == "\n" {
                (row, column) = (row + 1, 0)
                continue
            }
            // The editor shows a control character as two: ^A.
            var width = scalar.value < 0x20 || scalar.value == 0x7F ? 2 : TerminalText.width(of: String(scalar))
            if scalar == "\t" { width = 8 - column % 8 }
            if column + width > columns { (row, column) = (row + 1, 0) }
            column += width
            if column >= columns { (row, column) = (row + 1, 0) }
        }
    }
}
