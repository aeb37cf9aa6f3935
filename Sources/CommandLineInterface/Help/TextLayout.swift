// SPDX-License-Identifier: GPL-2.0-or-later

/// Lays text out in columns of characters, for a terminal.
///
/// Assumes plain ASCII, so that a byte is a column. A test checks that the documentation contains nothing else.
struct TextLayout {
    /// The narrowest and the widest text that is easy to read.
    package static let widths = 40...100

    private var bytes: [UInt8] = []
    private let width: Int

    init(width: Int) {
        self.width = min(max(width, Self.widths.lowerBound), Self.widths.upperBound)
    }

    package var text: String { String(decoding: bytes, as: UTF8.self) }

    package mutating func line(_ line: String, indent: Int = 0) {
        if !line.isEmpty { bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: indent)) }
        bytes.append(contentsOf: line.utf8)
        bytes.append(UInt8(ascii: "\n"))
    }

    /// Adds an empty line, unless there is one.
    package mutating func gap() {
        if !bytes.isEmpty, !bytes.suffix(2).elementsEqual("\n\n".utf8) { bytes.append(UInt8(ascii: "\n")) }
    }

    /// Adds a heading below an empty line.
    package mutating func heading(_ title: String) {
        gap()
        paragraph("\(title):")
    }

    /// Adds text, broken into lines between words.
    package mutating func paragraph(_ paragraph: String, indent: Int = 0) {
        for wrapped in Self.wrap(paragraph, width: width - indent) { line(wrapped, indent: indent) }
    }

    /// Adds items with commas between them, each whole on a line.
    package mutating func items(_ items: [String], indent: Int = 0) {
        // A character that no documentation has stands for the blanks within an item.
        let text = items.map { String($0.map { $0 == " " ? "\t" : $0 }) }.joined(separator: ", ")
        for wrapped in Self.wrap(text, width: width - indent) {
            line(String(wrapped.map { $0 == "\t" ? " " : $0 }), indent: indent)
        }
    }

    /// Adds pairs of a term and a text beside it. If a term is too long, its text begins in the next line.
    package mutating func table(_ rows: [(term: String, text: String)], indent: Int = 2, widestTerm: Int = 30) {
        // On a narrow terminal the text keeps half of the line.
        let widest = min(widestTerm, width / 2 - indent)
        let column = rows.map(\.term.utf8.count).filter { $0 <= widest }.max() ?? 0
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

    package mutating func definition(_ term: String, _ text: String, indent: Int = 2) {
        line(term, indent: indent)
        paragraph(text, indent: indent + 4)
    }

    /// Breaks text into lines. A word that is longer than a line gets a separate line.
    ///
    /// Works with indices, because slices of strings took most of the time of `blectl --help`.
    static func wrap(_ text: String, width: Int) -> [String] {
        var text = text
        return text.withUTF8 { text in
            var lines: [String] = []
            var line: [UInt8] = []
            var start = 0
            while start < text.count {
                var end = start
                while end < text.count, text[end] != UInt8(ascii: " "), text[end] != UInt8(ascii: "\n") { end += 1 }
                if end > start {
                    if !line.isEmpty, line.count + 1 + end - start > width {
                        lines.append(String(decoding: line, as: UTF8.self))
                        line.removeAll(keepingCapacity: true)
                    }
                    if !line.isEmpty { line.append(UInt8(ascii: " ")) }
                    line.append(contentsOf: text[start..<end])
                }
                start = end + 1
            }
            if !line.isEmpty { lines.append(String(decoding: line, as: UTF8.self)) }
            return lines
        }
    }
}
