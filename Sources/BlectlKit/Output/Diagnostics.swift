// SPDX-License-Identifier: GPL-2.0-or-later

import Synchronization

/// Standard error: messages, progress and traces. A failure to write there is nobody's business, and nobody waits for it:
/// what the reader leaves no room for is dropped, and counted.
public final class Diagnostics: Sendable {
    private let sink: any ByteSink
    private let style: TextStyle
    private let isQuiet: Bool
    private let hasProgressLine = Mutex(false)

    /// How much is traced: 0 nothing, 1 ATT PDUs, 2 HCI packets as well.
    public let verbosity: Int

    /// Makes diagnostics; `isQuiet` leaves out all but errors.
    public init(_ sink: any ByteSink, style: TextStyle, isQuiet: Bool, verbosity: Int) {
        self.sink = sink
        self.style = style
        self.isQuiet = isQuiet
        self.verbosity = verbosity
    }

    /// A remark that is not an error: what was dropped, what was ambiguous, a retry.
    public func note(_ text: String) {
        guard !isQuiet else { return }
        line("blectl: \(TerminalText.escaped(text))")
    }

    /// A remark that is worth a line only to somebody who looks closer (`-v`).
    public func detail(_ text: String) {
        if verbosity > 0 { note(text) }
    }

    /// An error: what, on what, why; and what to type next.
    public func error(_ message: String, hint: String?) {
        line("blectl: " + style.paint(TerminalText.escaped(message), .red))
        if let hint { line("hint: \(TerminalText.escaped(hint))") }
    }

    /// A line of the trace.
    public func trace(_ text: String) {
        line(style.paint(TerminalText.escaped(text), .faint))
    }

    /// What is going on, on a terminal only; the next message takes its place.
    public func progress(_ text: String) {
        guard style.isTerminal, !isQuiet else { return }
        hasProgressLine.withLock { shown in
            shown = true
            write("\r\u{1B}[K\(style.paint(TerminalText.escaped(text), .faint))")
        }
    }

    /// Takes the progress line away, before results are printed.
    public func clearProgress() {
        hasProgressLine.withLock { shown in
            guard shown else { return }
            shown = false
            write("\r\u{1B}[K")
        }
    }

    /// Returns when all is written that ever will be.
    func drain() async { await sink.drain() }

    private func line(_ text: String) {
        clearProgress()
        write("\(text)\n")
    }

    private func write(_ text: String) {
        // Nobody is told where standard error takes nothing.
        try? sink.write(Array(text.utf8).span)
    }
}
