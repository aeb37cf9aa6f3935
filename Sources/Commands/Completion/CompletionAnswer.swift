// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface

/// What can stand at the cursor. Which of it fits what is typed is left to the shell, because each has its own rules.
struct CompletionAnswer: Sendable, Equatable {
    /// The beginning of the last word that stays as it is: `--sort=`, `@`, `heart-rate/`.
    var before: String
    var typed: String
    /// What is expected, for a shell that says so: `SECONDS`. Never empty.
    let name: String
    /// The words, without the beginning that stays.
    var words: [Choice] = []
    /// The ending of the files that can stand here besides folders; `nil` if none can, and empty for all.
    var files: String?

    /// Moves the first characters of what is typed to the beginning that stays.
    mutating func keep(_ count: Int) {
        before += typed.prefix(count)
        typed = String(typed.dropFirst(count))
    }

    /// The whole words that begin with what is typed; the case of letters does not matter.
    var fitting: [String] {
        let begun = typed.lowercased()
        return words.map(\.word).filter { $0.lowercased().hasPrefix(begun) }.map { before + $0 }
    }

    /// The lines that the completion scripts read: the beginning that stays, what is typed after it, a pattern of the
    /// files that fit, or nothing, and what is expected. Then each word, with a tab and its meaning after it if it has one.
    var text: String {
        let head = [before, typed, files.map { "*\($0)" } ?? "", name]
        // A quoted word may have a line break, after which each line would have another meaning.
        guard !head.contains(where: { $0.contains(where: \.isNewline) }) else { return "" }
        let lines = words.map { $0.summary.isEmpty ? $0.word : "\($0.word)\t\(Markup.plain($0.summary))" }
        return (head + lines).map { "\($0)\n" }.joined()
    }
}
