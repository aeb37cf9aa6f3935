// SPDX-License-Identifier: GPL-2.0-or-later

/// The markup of the documentation in the table: what stands between backticks is typed, or printed, as it stands.
enum Markup {
    enum Span: Equatable {
        case text(String)
        case literal(String)
    }

    static func spans(_ markup: String) -> [Span] {
        markup.split(separator: "`", omittingEmptySubsequences: false).enumerated().compactMap { index, piece in
            if piece.isEmpty { return nil }
            return index.isMultiple(of: 2) ? .text(String(piece)) : .literal(String(piece))
        }
    }

    /// The text without its marks, for a terminal.
    static func plain(_ markup: String) -> String {
        let mark = UInt8(ascii: "`")
        return markup.utf8.contains(mark) ? String(decoding: markup.utf8.filter { $0 != mark }, as: UTF8.self) : markup
    }

    /// A summary as a sentence: with a capital, unless it begins with something typed, and a full stop.
    static func sentence(_ summary: String) -> String {
        var octets = Array(summary.utf8)
        if let first = octets.first, UInt8(ascii: "a")...UInt8(ascii: "z") ~= first { octets[0] -= 0x20 }
        octets.append(UInt8(ascii: "."))
        return String(decoding: octets, as: UTF8.self)
    }
}

extension OptionSpec {
    /// All there is to say about the option, in sentences.
    var description: String {
        // Not joined from an array: that generic function's first call costs as much as all other help.
        var text = Markup.sentence(summary)
        if !details.isEmpty { text += " \(details)" }
        if let defaultText { text += " The default is `\(defaultText)`." }
        if let environment { text += " `$\(environment)` stands in for it." }
        return text
    }

    /// The option as it is typed, with what it takes: `-n, --count NUMBER`.
    func term(indentingLong: Bool = false) -> String {
        let letter = short.map { "-\($0), " } ?? (indentingLong ? "    " : "")
        return letter + synopsis
    }
}

extension ArgumentSpec {
    /// All there is to say about the argument, in sentences.
    var description: String {
        details.isEmpty ? Markup.sentence(summary) : "\(Markup.sentence(summary)) \(details)"
    }
}

extension CommandSpec {
    /// The arguments as a usage line shows them, each with a space before it.
    var argumentSynopsis: String { arguments.map { " \($0.synopsis)" }.joined() }

    /// The options of the command itself that are documented.
    var shownOptions: [OptionSpec] { options.filter { !$0.isHidden } }
}
