// SPDX-License-Identifier: GPL-2.0-or-later

import Terminal

/// The reason why a text does not have a syntax. The parser adds the option or argument.
public struct ValueProblem: Error, Equatable {
    /// The expected form, to follow a colon: `expected a whole number from 0 to 100`.
    package let expectation: String
    package var suggestion: String?
    /// The remedy, if it is not in the help of the command.
    package var hint: String?

    public init(expectation: String, suggestion: String? = nil, hint: String? = nil) {
        self.expectation = expectation
        self.suggestion = suggestion
        self.hint = hint
    }

    /// A text is none of these words.
    @usableFromInline
    static func other(_ text: String, among words: [String]) -> ValueProblem {
        ValueProblem(
            expectation: "expected \(Prose.list(words.map { "'\($0)'" }))",
            suggestion: action(text, among: words) ?? Suggestion.closest(to: text, among: words)
        )
    }

    /// The action of a command that another program calls by that word; `nil` if it has none.
    private static func action(_ word: String, among words: [String]) -> String? {
        let synonyms = [
            ["list", "show", "ls", "status", "info"], ["start", "serve", "up", "open", "begin"],
            ["stop", "end", "kill", "quit", "down", "close"],
        ]
        return synonyms.first { $0.contains(word) }?.first(where: words.contains)
    }
}
