// SPDX-License-Identifier: GPL-2.0-or-later

import Glibc

/// Reads lines from a terminal. One thread at a time uses it.
package protocol LineReader: Sendable {
    /// Blocks until a line is typed, or until the control ends it.
    func read(_ reading: LineReading) -> LineOutcome

    /// Keeps a line for the keys that bring earlier lines back.
    func remember(_ line: String)
}

package enum LineOutcome: Sendable, Equatable {
    /// A line, without its end.
    case line(String)
    /// Ctrl-C.
    case interrupted
    /// Ctrl-D, or no more lines are wanted.
    case end
}

/// The request to read one line, with everything that the reading thread needs.
package struct LineReading: Sendable {
    package let prompt: String
    package let input: Int32
    package let output: Int32
    package let control: LineControl
    /// Gives the terminal the settings that it had when the shell began.
    package let restore: @Sendable () -> Void
    /// The effect of Tab after a text.
    package let complete: @Sendable (String) -> CompletionEffect

    package init(
        prompt: String,
        input: Int32,
        output: Int32,
        control: LineControl,
        restore: @escaping @Sendable () -> Void,
        complete: @escaping @Sendable (String) -> CompletionEffect
    ) {
        self.prompt = prompt
        self.input = input
        self.output = output
        self.control = control
        self.restore = restore
        self.complete = complete
    }

    /// The present width of the terminal, read each time because the window may have changed.
    package var columns: Int { StandardDescriptors.terminalSize(output).columns }

    /// Writes octets, and waits for the terminal. Octets that it does not take are lost.
    package func write(_ bytes: [UInt8]) {
        var start = 0
        while start < bytes.count {
            let count = bytes[start...].withUnsafeBytes { Glibc.write(output, $0.baseAddress, $0.count) }
            if count >= 0 {
                start += count
            } else if errno == EAGAIN {
                // Another process may have made the shared descriptor non-blocking.
                var entry = pollfd(fd: output, events: Int16(POLLOUT), revents: 0)
                _ = poll(&entry, 1, -1)
            } else if errno != EINTR {
                return
            }
        }
    }

    package func write(_ text: String) { write(Array(text.utf8)) }

    /// Writes whole lines: the text above the prompt must end with a line break.
    func writeLines(_ bytes: [UInt8]) {
        guard let last = bytes.last else { return }
        write(last == UInt8(ascii: "\n") ? bytes : bytes + [UInt8(ascii: "\n")])
    }
}

/// Gives a line that was typed before a question, which has not taken it for the answer.
package struct TypedLine: LineReader {
    package let outcome: LineOutcome

    package init(outcome: LineOutcome) {
        self.outcome = outcome
    }

    package func remember(_ line: String) {}

    /// Shows the line as if it were typed now.
    package func read(_ reading: LineReading) -> LineOutcome {
        var text = ""
        if case .line(let typed) = outcome { text = TerminalText.escaped(typed) }
        reading.write("\(reading.prompt)\(text)\n")
        return outcome
    }
}

/// Reads lines as the terminal itself edits them: Backspace and Ctrl-U work, and nothing else does.
package struct PlainLines: LineReader {
    /// The longest line, in octets: more than a terminal in its usual mode takes.
    private static let limit = 8_192

    /// Whether the line that is typed can be covered.
    package let movesCursor: Bool

    package init(movesCursor: Bool) {
        self.movesCursor = movesCursor
    }

    package func remember(_ line: String) {}

    /// Reads octet by octet, so that nothing after the end of the line is taken from the input.
    package func read(_ reading: LineReading) -> LineOutcome {
        var prompt = reading.prompt
        var line: [UInt8] = []
        reading.write(prompt)
        while true {
            switch reading.control.wait(for: reading.input) {
            case .input:
                var octet: UInt8 = 0
                let count = Glibc.read(reading.input, &octet, 1)
                if count < 0, errno == EINTR { continue }
                if count <= 0 {
                    // The last line of the input may lack its end.
                    guard line.isEmpty else { return .line(String(decoding: line, as: UTF8.self)) }
                    reading.write("\n")
                    return .end
                }
                if octet == UInt8(ascii: "\n") { return .line(String(decoding: line, as: UTF8.self)) }
                if line.count < Self.limit { line.append(octet) }
            case .events(let events):
                if let end = obey(events, reading, &prompt) { return end }
            }
        }
    }

    /// Carries out orders while a line is typed. Returns the outcome that ends the reading; `nil` to go on.
    private func obey(_ events: [LineControl.Event], _ reading: LineReading, _ prompt: inout String) -> LineOutcome? {
        var text: [UInt8] = []
        var isDrawn = true
        var end: LineOutcome?
        for event in events {
            switch event {
            case .output(let bytes): text += bytes
            case .prompt(let other): (prompt, isDrawn) = (other, false)
            case .interrupt: end = .interrupted
            case .end: end = .end
            // The terminal still has its usual settings, because it edits the line itself.
            case .suspend(let done): done()
            case .resume: isDrawn = false
            case .resized: break
            }
        }
        guard !text.isEmpty || !isDrawn || end != nil else { return nil }
        if !text.isEmpty || !isDrawn { reading.write(movesCursor ? "\r\u{1B}[K" : "\n") }
        reading.writeLines(text)
        if end != nil { reading.write("\n") } else { reading.write(prompt) }
        return end
    }
}
