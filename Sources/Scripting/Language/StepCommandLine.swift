// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Terminal
import Toolkit

/// The words of a step as arguments of a command line.
///
/// A text from the air must not decide what a word means. A variable at the beginning of a word therefore makes it
/// neither an option, such as `--output`, nor the name of a file whose octets a command would send.
enum StepCommandLine {
    /// Why a word is refused.
    struct Refusal {
        package let message: String
        package let hint: String
    }

    /// The texts of the words. Throws if the value of a variable would be an option, a file or standard input.
    ///
    /// - Parameters:
    ///   - command: The command whose arguments the words are.
    ///   - text: The text of a word, with its variables replaced.
    package static func texts(
        _ words: [ScriptWord],
        of command: CommandName,
        in table: CommandTable,
        text: (ScriptWord) throws(BlectlError) -> String
    ) throws(BlectlError) -> [String] {
        var texts: [String] = []
        for word in words {
            let value = try text(word)
            if let refusal = refusal(of: word, value, after: texts, of: command, in: table) {
                throw BlectlError(.badData, refusal.message, hint: refusal.hint)
            }
            texts.append(value)
        }
        return texts
    }

    /// Why the command must not get the word; `nil` if it may.
    ///
    /// - Parameters:
    ///   - text: The text of the word, with its variables replaced.
    ///   - texts: The texts of the words before it.
    package static func refusal(
        of word: ScriptWord,
        _ text: String,
        after texts: [String],
        of command: CommandName,
        in table: CommandTable
    ) -> Refusal? {
        if becomesOption(word, text), !texts.contains("--") {
            return Refusal(
                message: message(word, text, "an option"),
                hint: "as a value: --OPTION=\(word.shown); as an argument: -- \(word.shown)"
            )
        }
        guard let source = source(word, text, after: texts, of: command, in: table) else { return nil }
        let hint = command.type.literalHint(for: word.shown)
        return Refusal(message: message(word, text, source), hint: hint)
    }

    /// Whether a variable at the beginning of a word makes it an option. A negative number is none.
    private static func becomesOption(_ word: ScriptWord, _ text: String) -> Bool {
        guard word.lead.isEmpty, text.hasPrefix("-"), text != "-" else { return false }
        let digits = text.dropFirst().drop { $0 == "." }
        return digits.first.map { !("0"..."9").contains($0) } ?? true
    }

    /// The source of octets that a variable would make of a word: `a file` or `standard input`; `nil` for none.
    private static func source(
        _ word: ScriptWord,
        _ text: String,
        after texts: [String],
        of command: CommandName,
        in table: CommandTable
    ) -> String? {
        // Before the words are scanned, because few texts can be a source at all.
        guard word.literal == nil, text.hasPrefix("@") || text.hasSuffix("-") else { return nil }
        let before = ArgumentScanner([command.rawValue] + texts, table)
        let scanner = ArgumentScanner([command.rawValue] + texts + [text], table)
        if scanner.operands.count > before.operands.count {
            guard word.lead.isEmpty else { return nil }
            // The command itself is an operand, and before the values stands the target or the type.
            return command.type.source(of: text, isFirst: before.operands.count == 1)
        }
        // Other options that name a file do not read standard input.
        guard scanner.occurrences.count > before.occurrences.count, let last = scanner.occurrences.last,
            command.type.inputOptions.contains(last.option.long), last.text == "-", !word.lead.hasSuffix("-")
        else { return nil }
        return "standard input"
    }

    private static func message(_ word: ScriptWord, _ text: String, _ meaning: String) -> String {
        "the value of \(word.shown) is \(Prose.quoted(text)), and would be \(meaning)"
    }
}

extension ScriptWord {
    /// The text before the first variable.
    fileprivate var lead: String {
        var text = ""
        for part in parts {
            guard case .literal(let piece) = part else { break }
            text += piece
        }
        return text
    }
}
