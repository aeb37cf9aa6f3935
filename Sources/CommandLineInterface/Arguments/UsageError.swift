// SPDX-License-Identifier: GPL-2.0-or-later

import Terminal

/// An invalid command line. It ends blectl before anything is done: with status 65 if the value to write is not
/// valid, otherwise with status 64.
package struct UsageError: Error, Equatable, Sendable {
    /// The mistake in the command line.
    package enum Reason: Equatable, Sendable {
        case nothingGiven
        /// There are options, but no command.
        case missingCommand
        case unknownCommand(String)
        /// The option does not exist; the text includes its dashes.
        case unknownOption(String)
        /// The option belongs to other commands; the text includes its dashes.
        case inapplicableOption(String)
        /// The option is the last argument, or is followed by something that looks like another option.
        case missingValue(of: String, next: String?)
        /// A flag was given a value; the text includes its dashes.
        case unexpectedValue(of: String)
        /// A value does not have the form that the option, the argument or the variable requires.
        case invalidValue(String, of: String, expectation: String, suggestion: String?)
        /// An argument is missing; the words that it could be, if they are few.
        case missingArgument(String, choices: [String])
        case unexpectedArguments([String])
        /// Two options, or an option and an argument, exclude each other.
        case exclusive(String, String)
        /// The options and arguments contradict each other, or something is missing: a message, and the remedy.
        case impossible(String, hint: String?)
        /// An argument, by its number from 1, or a variable is not UTF-8. The text has escapes in place of
        /// the invalid octets.
        case notUnicode(String, of: String)
        /// The text of the value to write is not a value: a message, and the remedy.
        case badData(String, hint: String? = nil)
    }

    package let command: CommandName?
    package let reason: Reason
    /// The commands, among which a mistyped word may be found; `nil` for an error that needs none.
    private let table: CommandTable?
    /// The remedy for a value; `nil` if the help of the command has it.
    private let valueHint: String?

    package init(_ reason: Reason, command: CommandName?, in table: CommandTable? = nil, valueHint: String? = nil) {
        self.command = command
        self.reason = reason
        self.table = table
        self.valueHint = valueHint
    }

    package static func == (first: UsageError, second: UsageError) -> Bool {
        (first.command, first.reason) == (second.command, second.reason)
    }

    /// The same error about a command line whose command is not to be named.
    package func withoutCommand() -> UsageError { UsageError(reason, command: nil, in: table, valueHint: valueHint) }

    /// The mistake as one line in lower case, without the name of the program.
    package var message: String { Prose.shortened(wholeMessage) }

    private var wholeMessage: String {
        switch reason {
        case .nothingGiven, .missingCommand:
            "missing COMMAND"
        case .unknownCommand(let name):
            "unknown command \(Prose.quoted(name))" + didYouMean(commandSuggestion(for: name))
        case .unknownOption(let name):
            "unknown option \(Prose.quoted(name))\(forCommand)" + didYouMean(optionSuggestion(for: name))
        case .inapplicableOption(let name):
            "option '\(name)' does not apply\(command.map { " to '\($0.rawValue)'" } ?? "")"
        case .missingValue(let option, let next):
            "missing value for '\(option)'" + (next.map { "; found \(Prose.quoted($0))" } ?? "")
        case .unexpectedValue(let option):
            "option '\(option)' takes no value"
        case .invalidValue(let text, let subject, let expectation, let suggestion):
            "invalid value \(Prose.quoted(text)) for \(subject): \(expectation)" + didYouMean(suggestion)
        case .missingArgument(let name, _):
            "missing \(name)\(forCommand)"
        case .unexpectedArguments(let texts):
            "unexpected argument\(texts.count > 1 ? "s" : "")\(forCommand): "
                // An unquoted pattern of a shell can become hundreds of words.
                + texts.prefix(4).map(Prose.quoted).joined(separator: ", ") + (texts.count > 4 ? ", ..." : "")
        case .exclusive(let first, let second):
            "'\(first)' and '\(second)' cannot be used together"
        case .notUnicode(let text, let subject):
            "\(subject) is not UTF-8: '\(text)'"
        case .impossible(let sentence, _), .badData(let sentence, _):
            sentence
        }
    }

    /// The remedy as one line, or a pointer to the help of the command if there is no better one.
    package var hint: String { Prose.shortened(wholeHint) }

    private var wholeHint: String {
        if let valueHint { return valueHint }
        switch reason {
        case .impossible(_, let hint?), .badData(_, let hint?): return hint
        case .notUnicode(let text, _) where text.hasPrefix("@"):
            return "a file with such a name can be given on standard input: - < FILE"
        case .unknownCommand(let name):
            if case .hint(let text)? = foreignCommand(name) { return text }
            if commandSuggestion(for: name) == nil, let text = argumentHint(name) { return text }
        case .unknownOption(let name):
            if case .hint(let text)? = OtherToolHints.option(name, of: command) { return text }
            // A similar option of blectl is the better guess, because the name may be the beginning of it.
            if optionSuggestion(for: name) == nil,
                let text = OtherToolHints.commandHint(forOption: name, of: command, among: table?.names ?? [])
            {
                return text
            }
        case .inapplicableOption(let name):
            if case .hint(let text)? = OtherToolHints.option(name, of: command) { return text }
            if case .word(let word)? = OtherToolHints.option(name, of: command),
                command?.spec.option(named: String(word.drop { $0 == "-" })) != nil
            {
                return "did you mean \(word)?"
            }
            if let text = ownersHint(ofOption: name) { return text }
        case .unexpectedArguments where command?.rawValue == "serve":
            return "each 'blectl serve' is one device, on an adapter of its own: choose it with --adapter"
        case .missingArgument(let name, let choices) where !choices.isEmpty:
            return "\(name) is \(Prose.list(choices.map { "'\($0)'" }))"
        case .unexpectedArguments(let words):
            if let word = words.first, let text = command.flatMap({ OtherToolHints.option(for: word, of: $0) }) {
                return text
            }
        case .notUnicode: return "octets are written in hexadecimal, as in 0xfffe"
        case .missingValue(let option, let next?):
            let name = option.prefix { $0 != " " }
            return "a value that begins with '-' is written \(Prose.quoted("\(name)=\(next)"))"
        default: break
        }
        return helpHint
    }

    /// The remedy in the words of a shell, in which commands are typed without the name of the program.
    package var shellHint: String {
        hint == helpHint ? "see '\(["help", command?.rawValue].compactMap(\.self).joined(separator: " "))'" : hint
    }

    private var helpHint: String { "see 'blectl \(command.map { "\($0.rawValue) " } ?? "")--help'" }

    /// The complete text for standard error, with a line break at the end.
    package var text: String {
        switch reason {
        case .nothingGiven: table.map { HelpText(nil, in: $0).short() } ?? "\(message)\n"
        default:
            "blectl: \(TerminalText.escaped(message))\n" + "hint: \(TerminalText.escaped(hint))\n"
        }
    }

    package var exitStatus: ExitStatus {
        if case .badData = reason { .badData } else { .usage }
    }

    /// The maximum number of commands that a hint lists. An option of more is no reason to choose another command.
    private static let mostOwners = 3

    /// The commands that have an option; `nil` if there are too many to list.
    private func ownersHint(ofOption name: String) -> String? {
        let long = String(name.drop { $0 == "-" })
        let owners = (table?.commands ?? []).filter { $0.option(named: long).map { !$0.isHidden } ?? false }
        guard !owners.isEmpty, owners.count <= Self.mostOwners else { return nil }
        return "\(name) is an option of \(Prose.list(owners.map(\.name.rawValue), "and"))"
    }

    /// The commands that take the word as their first argument, as `watch heart-rate`; `nil` if none does, or too many.
    private func argumentHint(_ word: String) -> String? {
        let owners = (table?.commands ?? []).filter { command in
            command.arguments.first?.value.choices.contains { $0.word == word } ?? false
        }
        guard !owners.isEmpty, owners.count <= Self.mostOwners else { return nil }
        return Prose.list(owners.map { "blectl \($0.name.rawValue) \(word)" })
    }

    private var forCommand: String { command.map { " for '\($0.rawValue)'" } ?? "" }

    private func didYouMean(_ suggestion: String?) -> String {
        suggestion.map { "; did you mean '\($0)'?" } ?? ""
    }

    private func commandSuggestion(for name: String) -> String? {
        switch foreignCommand(name) {
        case .word(let word)?: word
        case .hint?: nil
        case nil: Suggestion.closest(to: name, among: (table?.names ?? []).map(\.rawValue))
        }
    }

    private func foreignCommand(_ name: String) -> OtherToolHints.Advice? {
        OtherToolHints.command(name, among: table?.names ?? [])
    }

    private func optionSuggestion(for name: String) -> String? {
        let options = command?.spec.allOptions ?? table?.options ?? []
        switch OtherToolHints.option(name, of: command) {
        // The counterpart is of no use if this command does not have it.
        case .word(let word)? where options.contains { "--\($0.long)" == word }: return word
        case .hint?: return nil
        default: break
        }
        let bare = String(name.drop { $0 == "-" })
        guard bare.count > 1 else { return nil }
        let words = options.filter { !$0.isHidden }.map(\.long)
        return Suggestion.closest(to: bare, among: words).map { "--\($0)" }
    }
}
