// SPDX-License-Identifier: GPL-2.0-or-later

import Terminal

/// The values and names on a command line with `--redact`, which errors about that line must not show.
///
/// Commands, options and the words of the command table stay readable, so that the mistake can still be found.
package struct CommandLineRedactor {
    private static let ellipsis = "…"

    /// The texts, the longest first, because one may contain another.
    private let texts: [String]
    /// The words that stay readable even if a text equals one of them, because they are no secrets.
    private let kept: Set<String>

    /// - Parameters:
    ///   - error: The error, which may quote what is not on the line: the value of a variable.
    ///   - line: The line, which may be invalid.
    ///   - names: The names of devices that the error may list.
    package init(of error: UsageError, on line: ArgumentScanner, names: [String] = []) {
        var texts = line.occurrences.map(\.text) + line.operands + names.map { TerminalText.escaped($0) }
        // Hints also quote the dash that a value begins with.
        var kept = Set(line.table.names.map(\.rawValue) + ["-"])
        switch error.reason {
        case .unknownCommand(let text), .notUnicode(let text, _): texts.append(text)
        case .invalidValue(let text, _, _, let suggestion):
            texts.append(text)
            if let suggestion { kept.insert(suggestion) }
        case .unexpectedArguments(let words): texts += words
        case .missingValue(let option, let next?) where !Self.isOption(next, line.table):
            let name = option.prefix { $0 != " " }
            texts += [next, "\(name)=\(next)"]
        default: break
        }
        if let spec = error.command?.spec {
            let values = spec.allOptions.compactMap(\.value) + spec.arguments.map(\.value)
            for value in values { kept.formUnion(value.choices.map(\.word)) }
        }
        self.texts = texts.filter { !$0.isEmpty && !kept.contains($0) }.sorted { $0.utf8.count > $1.utf8.count }
        self.kept = kept
    }

    /// A message or a hint with an ellipsis in place of each of the texts, and of each quoted part of one.
    package func concealed(in message: String) -> String {
        let mark = "'\(Self.ellipsis)'"
        // A hint that can be typed ends with the text as a word, which need not have quotes.
        let last = texts.map { " \(Prose.word($0))" }.first { message.hasSuffix($0) }
        let message = last.map { "\(message.dropLast($0.count)) \(mark)" } ?? message
        let whole = Prose.text(message, replacing: texts.map(Prose.quoted), with: mark)
        // A message about a value quotes the part that is wrong.
        let quote: Unicode.Scalar = "'"
        var parts = whole.unicodeScalars.split(separator: quote, omittingEmptySubsequences: false).map { String($0) }
        for index in parts.indices.dropFirst().dropLast() where isPart(parts[index]) { parts[index] = Self.ellipsis }
        return parts.joined(separator: "'")
    }

    private func isPart(_ quoted: String) -> Bool {
        !quoted.isEmpty && !kept.contains(quoted) && texts.contains { Prose.text($0, has: quoted) }
    }

    private static func isOption(_ word: String, _ table: CommandTable) -> Bool {
        guard word.hasPrefix("--") else { return false }
        return table.option(long: String(word.dropFirst(2).prefix { $0 != "=" })) != nil
    }
}
