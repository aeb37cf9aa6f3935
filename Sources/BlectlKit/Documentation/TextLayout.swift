// SPDX-License-Identifier: GPL-2.0-or-later

/// Lays text out in columns of characters, for a terminal.
///
/// The documentation is plain ASCII, which a test sees to: a byte is a column, and nothing looks for longer characters.
struct TextLayout {
    /// The narrowest and the widest text that is pleasant to read.
    static let widths = 40...100

    private(set) var text = ""
    private let width: Int

    init(width: Int) {
        self.width = min(max(width, Self.widths.lowerBound), Self.widths.upperBound)
    }

    /// One line as it stands.
    mutating func line(_ line: String, indent: Int = 0) {
        text += String(repeating: " ", count: line.isEmpty ? 0 : indent) + line + "\n"
    }

    /// An empty line, unless there is one.
    mutating func gap() {
        if !text.isEmpty, !text.hasSuffix("\n\n") { text += "\n" }
    }

    /// A heading: a new section below an empty line.
    mutating func heading(_ title: String) {
        gap()
        line("\(title):")
    }

    /// Text broken into lines between words.
    mutating func paragraph(_ paragraph: String, indent: Int = 0) {
        for wrapped in Self.wrap(paragraph, width: width - indent) { line(wrapped, indent: indent) }
    }

    /// Pairs of a term and a text beside it, which has a line of its own where the term is too long.
    mutating func table(_ rows: [(term: String, text: String)], indent: Int = 2, widestTerm: Int = 30) {
        let column = rows.map(\.term.utf8.count).filter { $0 <= widestTerm }.max() ?? 0
        let textIndent = indent + column + 2
        for row in rows {
            var lines = Self.wrap(row.text, width: width - textIndent)[...]
            if row.term.utf8.count <= column {
                let padding = String(repeating: " ", count: column - row.term.utf8.count + 2)
                line(lines.isEmpty ? row.term : row.term + padding + lines.removeFirst(), indent: indent)
            } else {
                line(row.term, indent: indent)
            }
            for rest in lines { line(rest, indent: textIndent) }
        }
    }

    /// A term and its text below.
    mutating func definition(_ term: String, _ text: String) {
        line(term, indent: 2)
        paragraph(text, indent: 6)
    }

    /// The lines of a text; a word that is longer than a line has a line of its own.
    static func wrap(_ text: String, width: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.utf8.split(whereSeparator: { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }) {
            if !line.isEmpty, line.utf8.count + 1 + word.count > width {
                lines.append(line)
                line = ""
            }
            if !line.isEmpty { line += " " }
            line += Substring(word)
        }
        if !line.isEmpty { lines.append(line) }
        return lines
    }
}
