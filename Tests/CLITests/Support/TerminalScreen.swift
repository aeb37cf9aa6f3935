// SPDX-License-Identifier: GPL-2.0-or-later

/// What stands on a terminal after something was written to it: as much of a VT100 as blectl uses, and what it does not use
/// is noted.
struct TerminalScreen {
    private(set) var isCursorVisible = true
    /// What no terminal should be sent.
    private(set) var unknown: [String] = []

    private let columns: Int
    private let rows: Int
    private var cells: [[Character]]
    private var row = 0
    private var column = 0
    /// The cursor stands behind the last column: the next character begins a line.
    private var isBehindEdge = false

    init(columns: Int, rows: Int, showing text: String) {
        self.columns = columns
        self.rows = rows
        cells = Array(repeating: Array(repeating: " ", count: columns), count: rows)
        var scalars = text.unicodeScalars.map { Character($0) }[...]
        while let character = scalars.popFirst() { show(character, &scalars) }
    }

    /// The lines without blanks at their ends, up to the last that is not empty.
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
            // The terminal adds the carriage return, which these tests have switched off.
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
