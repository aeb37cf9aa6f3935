// SPDX-License-Identifier: GPL-2.0-or-later

import Synchronization

/// Standard error: messages, progress and traces. Writing never waits and never fails: a message for which the reader
/// leaves no room is dropped and counted.
package final class Diagnostics: Sendable {
    /// The lines for a terminal on which something else is drawn at present.
    private struct Held {
        /// The lines that are printed later, the last ones of them.
        var lines: [String] = []
        /// The number of dropped older lines.
        var lost = 0
        /// The message that the user is to see now; safe to print.
        var message: String?
    }

    private static let heldLimit = 100

    private let sink: any ByteSink
    private let style: TextStyle
    private let isQuiet: Bool
    private let columns: @Sendable () -> Int
    private let hasProgressLine = Mutex(false)
    private let held = Mutex<Held?>(nil)

    /// The level of tracing: 0 for nothing, 1 for ATT PDUs, 2 for HCI packets as well.
    package let verbosity: Int

    /// Whether `--redact` was given for these messages.
    private let isAlwaysRedacted: Bool
    /// Whether these are the messages of one line of a shell, which has others.
    private let isOfLine: Bool
    /// The names that redacted errors do not show, and the lines of a shell that are redacted.
    package let redaction: RedactionScope

    /// Creates diagnostics; `isQuiet` suppresses everything but errors.
    ///
    /// - Parameters:
    ///   - shell: The diagnostics of the shell, if these are those of one of its lines: a line also redacts the names
    ///     that the shell has learnt.
    ///   - columns: The present width of the terminal.
    package init(
        lineOf shell: Diagnostics? = nil,
        _ sink: any ByteSink,
        style: TextStyle,
        isQuiet: Bool,
        verbosity: Int,
        isRedacted: Bool = false,
        columns: @escaping @Sendable () -> Int = { 80 }
    ) {
        self.columns = columns
        self.sink = sink
        self.style = style
        self.isQuiet = isQuiet
        self.verbosity = verbosity
        isAlwaysRedacted = isRedacted
        isOfLine = shell != nil
        redaction = shell?.redaction ?? RedactionScope()
    }

    /// Whether messages are printed without values, names and keys. While a line with `--redact` runs, this also
    /// applies to messages of the shell itself, because they may be about the line.
    package var isRedacted: Bool { isAlwaysRedacted || !isOfLine && redaction.hasLines }

    /// Whether packets are shown without values, names and keys. A packet belongs to no line of a shell, so that one
    /// line with `--redact` is enough.
    package var redactsPackets: Bool { isAlwaysRedacted || redaction.hasLines }

    /// A remark that is not an error: dropped values, an ambiguity, a retry.
    package func note(_ text: String) {
        // A remark may contain the name of a device, or text that it has sent.
        guard !isQuiet, !isRedacted else { return }
        line("blectl: \(TerminalText.escaped(Prose.shortened(text)))")
    }

    /// A remark for a person at a terminal, which a script has in the records.
    package func remark(_ text: String) {
        if style.isTerminal { note(text) }
    }

    /// A remark that is shown only with `-v`.
    package func detail(_ text: String) {
        if verbosity > 0 { note(text) }
    }

    /// Lines that the user has requested, so that they are not remarks.
    package func lines(_ text: String) {
        for part in text.split(separator: "\n", omittingEmptySubsequences: false) {
            line(TerminalText.escaped(String(part)))
        }
    }

    /// An error in lines, safe to print or not: the message, what belongs to it, and the next step.
    package func error(_ message: String, details: [String], hint: String?) {
        line("blectl: ", TerminalText.escaped(message), .red)
        for detail in details { line("  \(TerminalText.escaped(detail))") }
        if let hint { line("hint: \(TerminalText.escaped(hint))") }
    }

    /// A text without the names, if messages are redacted.
    package func redacted(_ text: String) -> String { isRedacted ? redaction.concealing(text) : text }

    /// A name that errors are not to show, if messages are redacted now or later.
    package func conceal(_ name: String?) {
        guard let name, !name.isEmpty else { return }
        redaction.conceal(name)
    }

    package func trace(_ text: String) {
        line("", TerminalText.escaped(text), .faint)
    }

    /// The step in progress, on a terminal only; the next message replaces it.
    package func progress(_ text: String) {
        guard style.isTerminal, !isQuiet, !isRedacted else { return }
        let text = style.shown(TerminalText.escaped(text))
        guard !hold({ $0.message = text }) else { return }
        // A line that the terminal wraps could not be removed. The last column stays empty, because some wrap after it.
        let line = TerminalText.fitted(text, columns: columns() - 1, ellipsis: style.glyphs.ellipsis)
        // Written under the lock, so that no message comes between the flag and the line.
        hasProgressLine.withLock { shown in
            shown = true
            write("\r\u{1B}[K\(style.paint(line, .faint))")
        }
    }

    /// Asks a person at the terminal; the answer stands on the same line.
    package func prompt(_ question: String) {
        clearProgress()
        write(style.shown(TerminalText.escaped(question)))
    }

    /// Removes the progress line before results are printed.
    package func clearProgress() {
        guard !hold({ $0.message = nil }) else { return }
        hasProgressLine.withLock { shown in
            guard shown else { return }
            shown = false
            write("\r\u{1B}[K")
        }
    }

    /// Whether messages can be held back, so that a screen may be drawn: traces come too fast for that.
    package var canHold: Bool { !style.isTerminal || verbosity == 0 }

    /// Holds messages back while a screen is drawn on the terminal. Those for a file are written as ever.
    package func hold() {
        guard style.isTerminal else { return }
        clearProgress()
        held.withLock { $0 = $0 ?? Held() }
    }

    /// The last message that was held back; `nil` if messages are not held back, or there was none.
    var heldMessage: String? { held.withLock { $0?.message } }

    /// Prints the held messages.
    package func release() {
        let held = held.withLock { held in
            defer { held = nil }
            return held
        }
        guard let held else { return }
        if held.lost > 0 { line("blectl: \(held.lost) messages left out") }
        for text in held.lines { write("\(text)\n") }
    }

    /// Changes the held messages; returns `false` if messages are not held back.
    private func hold(_ change: (inout Held) -> Void) -> Bool {
        held.withLock { held in
            guard held != nil else { return false }
            if var present = held.take() {
                change(&present)
                held = present
            }
            return true
        }
    }

    /// Returns when everything is written, or when no more can be written.
    package func drain() async { await sink.drain() }

    /// Prints a line, or keeps it while a screen is drawn. Of the kept ones the oldest make room, and are counted.
    private func line(_ prefix: String, _ body: String = "", _ attribute: TextStyle.Attribute = .bold) {
        let (prefix, body) = (style.shown(prefix), style.shown(body))
        let text = body.isEmpty ? prefix : prefix + style.paint(body, attribute)
        let isHeld = hold { held in
            held.message = prefix + body
            held.lines.append(text)
            if held.lines.count > Self.heldLimit {
                held.lines.removeFirst()
                held.lost += 1
            }
        }
        guard !isHeld else { return }
        clearProgress()
        write("\(text)\n")
    }

    private func write(_ text: String) {
        // A failure cannot be reported: standard error itself accepts nothing.
        try? sink.write(Array(text.utf8).span)
    }
}
