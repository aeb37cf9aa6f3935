// SPDX-License-Identifier: GPL-2.0-or-later

/// The markup of the table's documentation. Text between backticks is shown in the form in which it is typed or
/// printed.
package enum Markup {
    package enum Span: Equatable {
        case text(String)
        case literal(String)
    }

    static func spans(_ markup: String) -> [Span] {
        markup.split(separator: "`", omittingEmptySubsequences: false).enumerated().compactMap { index, piece in
            if piece.isEmpty { return nil }
            return index.isMultiple(of: 2) ? .text(String(piece)) : .literal(String(piece))
        }
    }

    /// The text without marks, for a terminal.
    package static func plain(_ markup: String) -> String {
        let mark = UInt8(ascii: "`")
        return markup.utf8.contains(mark) ? String(decoding: markup.utf8.filter { $0 != mark }, as: UTF8.self) : markup
    }

    /// A summary as a sentence, with a full stop. Begins with a capital letter, unless it begins with typed text or with
    /// the name of a program, which are between backticks.
    package static func sentence(_ summary: String) -> String {
        var octets = Array(summary.utf8)
        if let first = octets.first, UInt8(ascii: "a")...UInt8(ascii: "z") ~= first { octets[0] -= 0x20 }
        octets.append(UInt8(ascii: "."))
        return String(decoding: octets, as: UTF8.self)
    }
}

extension OptionSpec {
    /// The complete documentation of the option, in sentences.
    package var description: String {
        // Not joined from an array, because the first call of that generic function costs as much time as all other
        // help.
        var text = Markup.sentence(summary)
        if !details.isEmpty { text += " \(details)" }
        if let defaultText { text += " The default is `\(defaultText)`." }
        // The options that exclude it keep the variable from being used, too.
        if let environment {
            let others = excludes.map { " nor `--\($0)`" }.joined()
            text += " `$\(environment)` is used if \(others.isEmpty ? "it is not" : "neither it\(others) is") given."
        }
        return text
    }

    /// The option with its value in the form in which it is typed: `-n, --count NUMBER`.
    package func term(indentingLong: Bool = false) -> String {
        let letter = short.map { "-\($0), " } ?? (indentingLong ? "    " : "")
        return letter + synopsis
    }
}

extension ArgumentSpec {
    /// The complete documentation of the argument, in sentences.
    package var description: String {
        details.isEmpty ? Markup.sentence(summary) : "\(Markup.sentence(summary)) \(details)"
    }
}

extension CommandSpec {
    /// The arguments in a usage line, each with a space before it.
    package var argumentSynopsis: String { arguments.map { " \($0.synopsis)" }.joined() }

    /// The command's own options, without hidden ones.
    package var shownOptions: [OptionSpec] { options.filter { !$0.isHidden } }
}
