// SPDX-License-Identifier: GPL-2.0-or-later

import Glibc
package import Terminal

/// A person at a terminal, who is asked when a value that needs a pairing is touched.
package struct PromptedPerson: Sendable {
    package let keyboard: TerminalKeyboard
    package let pauses = PersonPauses()

    init(_ keyboard: TerminalKeyboard) { self.keyboard = keyboard }

    /// The person at the terminal of the process; `nil` if there is none.
    init?(_ notes: Diagnostics) {
        guard let keyboard = TerminalKeyboard(notes) else { return nil }
        self.init(keyboard)
    }
}

/// A terminal on which a person can be asked.
package struct TerminalKeyboard: Sendable {
    /// Asks a question, and returns the answer on one line; `nil` if there is none.
    private let answer: @Sendable (String) async -> String?

    /// `nil` if standard input or standard error is not a terminal.
    package init?(_ notes: Diagnostics) {
        guard isatty(0) == 1, isatty(2) == 1 else { return nil }
        // On a separate thread even in virtual time, because a person answers in real time.
        guard let source = try? ByteSource(path: "-", blocking: { WorkThread.start($0) }) else { return nil }
        self.init(source, notes)
    }

    package init(_ source: ByteSource, _ notes: Diagnostics) {
        answer = { question in
            // Nobody can have answered the question before: a key that was pressed too early would prove that two
            // devices show the same digits.
            source.discardTyped()
            notes.prompt(question)
            // Enter alone is the answer in capitals.
            var lines = LineSource(source, keepsEmptyLines: true)
            return try? await lines.next()
        }
    }

    /// A keyboard that belongs to a shell, which prints the question and reads the answer.
    package init(_ notes: Diagnostics, asking answer: @escaping @Sendable (String) async -> String?) {
        self.answer = { question in
            notes.clearProgress()
            return await answer(question)
        }
    }

    /// The answer on one line; `nil` if there is none.
    package func ask(_ question: String) async -> String? { await answer(question) }
}
