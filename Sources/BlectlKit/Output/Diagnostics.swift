// SPDX-License-Identifier: GPL-2.0-or-later

import Synchronization

/// Standard error: messages, progress and traces. Writing never waits and never fails: a message for which the reader
/// leaves no room is dropped and counted.
public final class Diagnostics: Sendable {
    private let sink: any ByteSink
    private let style: TextStyle
    private let isQuiet: Bool
    private let hasProgressLine = Mutex(false)

    /// The level of tracing: 0 for nothing, 1 for ATT PDUs, 2 for HCI packets as well.
    public let verbosity: Int

    /// Creates diagnostics; `isQuiet` suppresses everything but errors.
    public init(_ sink: any ByteSink, style: TextStyle, isQuiet: Bool, verbosity: Int) {
        self.sink = sink
        self.style = style
        self.isQuiet = isQuiet
        self.verbosity = verbosity
    }

    /// A remark that is not an error: dropped values, an ambiguity, a retry.
    public func note(_ text: String) {
        guard !isQuiet else { return }
        line("blectl: \(TerminalText.escaped(text))")
    }

    /// A remark that is shown only with `-v`.
    public func detail(_ text: String) {
        if verbosity > 0 { note(text) }
    }

    /// An error: what failed, on what, why, and what to do next.
    public func error(_ message: String, hint: String?) {
        line("blectl: " + style.paint(TerminalText.escaped(message), .red))
        if let hint { line("hint: \(TerminalText.escaped(hint))") }
    }

    /// A line of the trace.
    public func trace(_ text: String) {
        line(style.paint(TerminalText.escaped(text), .faint))
    }

    /// The step in progress, on a terminal only; the next message replaces it.
    public func progress(_ text: String) {
        guard style.isTerminal, !isQuiet else { return }
        hasProgressLine.withLock { shown in
            shown = true
            write("\r\u{1B}[K\(style.paint(TerminalText.escaped(text), .faint))")
        }
    }

    /// Removes the progress line before results are printed.
    public func clearProgress() {
        hasProgressLine.withLock { shown in
            guard shown else { return }
            shown = false
            write("\r\u{1B}[K")
        }
    }

    /// Returns when everything is written, or when no more can be written.
    func drain() async { await sink.drain() }

    private func line(_ text: String) {
        clearProgress()
        write("\(text)\n")
    }

    private func write(_ text: String) {
        // A failure cannot be reported: standard error itself accepts nothing.
        try? sink.write(Array(text.utf8).span)
    }
}
