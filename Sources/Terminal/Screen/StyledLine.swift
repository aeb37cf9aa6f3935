// SPDX-License-Identifier: GPL-2.0-or-later

/// A line of a screen: pieces of text with attributes, whose width is known.
package struct StyledLine: Sendable, Equatable {
    /// Text in one attribute.
    private struct Piece: Sendable, Equatable {
        /// The text, safe to print.
        var text: String
        /// Its attribute; `nil` for plain text.
        var attribute: TextStyle.Attribute?
    }

    /// The pieces from left to right.
    private var pieces: [Piece] = []
    /// The number of columns.
    package private(set) var width = 0
    /// Whether the line stands out as a whole.
    package var isSelected = false

    package init() {}

    package init(_ text: String, _ attribute: TextStyle.Attribute? = nil) { append(text, attribute) }

    /// Adds text, which has to be safe to print.
    package mutating func append(_ text: String, _ attribute: TextStyle.Attribute? = nil) {
        guard !text.isEmpty else { return }
        pieces.append(Piece(text: text, attribute: attribute))
        width += TerminalText.width(of: text)
    }

    /// Adds blanks up to a column.
    package mutating func pad(to columns: Int) {
        if columns > width { append(String(repeating: " ", count: columns - width)) }
    }

    package var text: String { pieces.map(\.text).joined() }

    /// The line as a terminal takes it, within so many columns.
    package func rendered(_ style: TextStyle, columns: Int) -> String {
        var line = ""
        var room = columns
        let isCut = width > columns
        for (index, piece) in pieces.enumerated() {
            let size = TerminalText.width(of: piece.text)
            var text = piece.text
            // A cut text ends with a mark, unless only blanks are left out.
            let isLast = isCut && (size >= room || index == pieces.count - 1)
            if isLast {
                let rest = pieces[index...].map(\.text).joined()
                text = TerminalText.fitted(rest, columns: room, ellipsis: style.glyphs.ellipsis)
            }
            if !style.usesUnicode { text = TerminalText.ascii(text) }
            // The end of an attribute would also end the reversal of a selected line.
            if !isSelected, let attribute = piece.attribute {
                line += style.paint(text, attribute)
            } else {
                line += text
            }
            room -= size
            if isLast { break }
        }
        if isSelected {
            line += String(repeating: " ", count: max(0, columns - width))
            return style.paint(line, .reverse)
        }
        return line
    }
}

extension StyledLine {
    /// As many keys with their meanings as there is room for.
    package static func keys(_ keys: [(key: String, meaning: String)], _ columns: Int, _ style: TextStyle) -> StyledLine
    {
        var line = StyledLine()
        for (key, meaning) in keys {
            let width = TerminalText.width(of: key) + 1 + TerminalText.width(of: meaning)
            guard line.width + width + (line.width > 0 ? 2 : 0) <= columns else { break }
            if line.width > 0 { line.append("  ") }
            line.append(key, .bold)
            line.append(" \(meaning)", .faint)
        }
        return line
    }
}
