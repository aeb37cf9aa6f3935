// SPDX-License-Identifier: GPL-2.0-or-later

/// Writes `mdoc(7)`, the language of manual pages.
package struct Troff {
    package private(set) var text = ""

    package init() {}

    package mutating func comment(_ comment: String) { text += ".\\\" \(comment)\n" }

    /// Writes a macro with its arguments. The caller escapes arguments if necessary.
    package mutating func macro(_ name: String, _ arguments: String...) {
        text += ".\(([name] + arguments).joined(separator: " "))\n"
    }

    /// Writes a paragraph of text with markup. Each sentence begins a line, as `mdoc(7)` recommends.
    package mutating func paragraph(_ markup: String) {
        for sentence in Self.sentences(markup) {
            for line in TextLayout.wrap(Self.formatted(sentence), width: 78) { text += Self.guarded(line) + "\n" }
        }
    }

    package mutating func literal(_ line: String) { text += Self.guarded(Self.typed(line)) + "\n" }

    package mutating func list<Item>(
        _ items: [Item],
        width: String = "Ds",
        compact: Bool = false,
        item: (inout Troff, Item) -> Void
    ) {
        guard !items.isEmpty else { return }
        macro("Bl", "-tag -width \(width)\(compact ? " -compact" : "")")
        for element in items { item(&self, element) }
        macro("El")
    }

    /// Text with markup, in the form of troff.
    private static func formatted(_ markup: String) -> String {
        Markup.spans(markup).map { span in
            switch span {
            case .text(let text): escaped(text)
            case .literal(let text): literal(text)
            }
        }.joined()
    }

    /// A line that troff cannot take for a macro.
    private static func guarded(_ line: String) -> String {
        line.hasPrefix(".") || line.hasPrefix("'") ? "\\&" + line : line
    }

    /// Typed text: bold, except for the section in a reference to another page.
    private static func literal(_ text: String) -> String {
        for section in ["(1)", "(5)", "(7)"] where text.hasSuffix(section) {
            return "\\fB\(typed(String(text.dropLast(section.count))))\\fP\(section)"
        }
        return "\\fB\(typed(text))\\fP"
    }

    /// Typed text, in which the characters that troff would replace are escaped.
    package static func typed(_ text: String) -> String {
        // Without the escapes, groff prints typographic characters, which a shell does not take when they are pasted.
        text.reduce(into: "") { troff, character in
            switch character {
            case "\\": troff += "\\e"
            case "-": troff += "\\-"
            case "'": troff += "\\(aq"
            case "~": troff += "\\(ti"
            case "^": troff += "\\(ha"
            case "\"": troff += "\\(dq"
            default: troff.append(character)
            }
        }
    }

    /// Typed text at the end of a macro, where a bracket would otherwise count as punctuation after it.
    package static func term(_ text: String) -> String { typed(text) + (text.hasSuffix("]") ? "\\&" : "") }

    private static func escaped(_ text: String) -> String {
        text.split(separator: "\\", omittingEmptySubsequences: false).joined(separator: "\\e")
    }

    /// Splits text after full stops that end sentences.
    static func sentences(_ text: String) -> [String] {
        var sentences: [String] = []
        var sentence = ""
        var isLiteral = false
        for word in text.split(whereSeparator: { $0 == " " || $0 == "\n" }) {
            sentence += sentence.isEmpty ? word : " \(word)"
            if !word.count(where: { $0 == "`" }).isMultiple(of: 2) { isLiteral.toggle() }
            // A full stop within typed text does not end a sentence.
            if !isLiteral, word.hasSuffix(".") || word.hasSuffix(".)") {
                sentences.append(sentence)
                sentence = ""
            }
        }
        return sentence.isEmpty ? sentences : sentences + [sentence]
    }
}
