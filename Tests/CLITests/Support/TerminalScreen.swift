// SPDX-License-Identifier: GPL-2.0-or-later

/// The content of a terminal after output: the part of a VT100 that blectl uses. Other control sequences are recorded.
struct TerminalScreen {
    private(set) var isCursorVisible = true
    /// The control sequences that no terminal should receive.
    private(set) var unknown: [String] = []

    private let columns: Int
    private let rows: Int
    private var cells: [[Character]]
    private var row = 0
    private var column = 0
    /// Whether the cursor is behind the last column, so that the next character begins a line.
    private var isBehindEdge = false

    init(columns: Int, rows: Int, showing text: String) {
        self.columns = columns
        self.rows = rows
        cells = Array(repeating: Array(repeating: " ", count: columns), count: rows)
        var scalars = text.unicodeScalars.map { Character($0) }[...]
        while let character = scalars.popFirst() { show(character, &scalars) }
    }

    /// The lines without trailing spaces, up to the last one that is not empty.
    var lines: [String] {
        let all = cells.map { row in
            String(row.reversed().drop { $0 == " " }.reversed())
        }
        return Array(all.reversed().drop { $0.isEmpty }.reversed())
    }

    private mutating func show(_ character: Character, _ rest: inout ArraySlice<Character>) {
        switch character {
        case "\r":
            column = 0
            isBehindEdge = false
        case "\n":
            // A terminal adds the carriage return by default. These tests have switched that off.
            column = 0
            lineFeed()
        case "\u{1B}": control(&rest)
        case let other where other < " " || other == "\u{7F}": unknown.append("control \(other.unicodeScalars)")
        default:
            if isBehindEdge { column = 0; lineFeed() }
            cells[row][column] = character
            if column == columns - 1 { isBehindEdge = true } else { column += 1 }
        }
    }

    private mutating func lineFeed() {
        isBehindEdge = false
        guard row == rows - 1 else {
            row += 1
            return
        }
        cells.removeFirst()
        cells.append(Array(repeating: " ", count: columns))
    }

    private mutating func control(_ rest: inout ArraySlice<Character>) {
        guard rest.popFirst() == "[" else {
            unknown.append("escape")
            return
        }
        var parameters = ""
        while let next = rest.popFirst() {
            guard next.isLetter else {
                parameters.append(next)
                continue
            }
            switch (parameters, next) {
            case (_, "m"): break
            case ("?25", "l"): isCursorVisible = false
            case ("?25", "h"): isCursorVisible = true
            case (_, "A"):
                row = max(0, row - (Int(parameters) ?? 1))
                isBehindEdge = false
            case ("", "K"): cells[row].replaceSubrange(column..., with: repeatElement(" ", count: columns - column))
            case ("", "J"):
                cells[row].replaceSubrange(column..., with: repeatElement(" ", count: columns - column))
                for below in cells.indices.dropFirst(row + 1) {
                    cells[below] = Array(repeating: " ", count: columns)
                }
            default: unknown.append("[\(parameters)\(next)")
            }
            return
        }
        unknown.append("unfinished")
    }
}
