// SPDX-License-Identifier: GPL-2.0-or-later

import Terminal

/// A terminal's screen after output: the part of a VT100 and of xterm that blectl uses. Other control sequences are
/// recorded.
struct TerminalScreen {
    /// A column of a line.
    struct Cell: Equatable {
        /// The character; empty behind a wide one.
        var character: Character?
        /// The parameters of the attributes (SGR); empty for none.
        var attributes: String

        static let blank = Cell(character: " ", attributes: "")
    }

    private(set) var isCursorVisible = true
    private(set) var isAlternate = false
    /// Whether lines go on in the next one at the edge.
    private(set) var wraps = true
    /// The control sequences that no terminal should receive.
    private(set) var unknown: [String] = []
    /// The lines at the end of each picture of a live screen.
    private(set) var pictures: [[String]] = []
    /// The cells of the last picture.
    private(set) var lastPicture: [[Cell]] = []

    private(set) var columns: Int
    private(set) var rows: Int
    private var cells: [[Cell]]
    private var row = 0
    private var column = 0
    private var attributes = ""
    /// Whether the cursor is behind the last column, so that the next character begins a line.
    private var isBehindEdge = false
    /// The screen beneath the alternate one, and its cursor.
    private var saved: (cells: [[Cell]], row: Int, column: Int)?

    init(columns: Int, rows: Int, showing text: String = "") {
        self.columns = columns
        self.rows = rows
        cells = Self.blank(columns, rows)
        show(text)
    }

    private static func blank(_ columns: Int, _ rows: Int) -> [[Cell]] {
        Array(repeating: Array(repeating: Cell.blank, count: columns), count: rows)
    }

    /// The cells of all lines.
    var content: [[Cell]] { cells }

    /// The lines without trailing spaces, up to the last one that is not empty.
    var lines: [String] { Self.lines(cells) }

    static func lines(_ cells: [[Cell]]) -> [String] {
        let all = cells.map { row in
            String(String(row.compactMap(\.character)).reversed().drop { $0 == " " }.reversed())
        }
        return Array(all.reversed().drop { $0.isEmpty }.reversed())
    }

    /// The lines of a picture with its colours as words: `⟨32⟩-58⟨⟩`.
    static func marked(_ cells: [[Cell]]) -> [String] {
        let all = cells.map { row in
            var line = ""
            var present = ""
            for cell in row {
                if cell.attributes != present {
                    line += "⟨\(cell.attributes)⟩"
                    present = cell.attributes
                }
                if let character = cell.character { line.append(character) }
            }
            if !present.isEmpty { line += "⟨⟩" }
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
        return Array(all.reversed().drop { $0.isEmpty }.reversed())
    }

    /// Takes more output.
    mutating func show(_ text: String) {
        var scalars = text.unicodeScalars.map { Character($0) }[...]
        while let character = scalars.popFirst() { show(character, &scalars) }
    }

    /// Changes the size. What is on the screen is cut or filled up with blanks, as xterm does.
    mutating func resize(columns: Int, rows: Int) {
        func fit(_ old: [[Cell]]) -> [[Cell]] {
            var new = Self.blank(columns, rows)
            for (number, line) in old.prefix(rows).enumerated() {
                new[number].replaceSubrange(0..<min(columns, line.count), with: line.prefix(columns))
            }
            return new
        }
        cells = fit(cells)
        if let saved { self.saved = (fit(saved.cells), min(saved.row, rows - 1), min(saved.column, columns - 1)) }
        (self.columns, self.rows) = (columns, rows)
        (row, column) = (min(row, rows - 1), min(column, columns - 1))
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
        case "\u{8}":
            column = max(0, column - 1)
            isBehindEdge = false
        case "\u{7}": break
        case "\r\n":
            column = 0
            lineFeed()
        case "\u{1B}": control(&rest)
        case let other where other < " " || other == "\u{7F}": unknown.append("control \(other.unicodeScalars)")
        default: put(character)
        }
    }

    private mutating func put(_ character: Character) {
        let width = TerminalText.width(of: String(character))
        guard width > 0 else {
            // A combining mark.
            let before = max(0, isBehindEdge ? column : column - 1)
            if let base = cells[row][before].character {
                cells[row][before].character = Character(String(base) + String(character))
            }
            return
        }
        if isBehindEdge, wraps {
            column = 0
            lineFeed()
        }
        cells[row][column] = Cell(character: character, attributes: attributes)
        if width == 2, column + 1 < columns { cells[row][column + 1] = Cell(character: nil, attributes: attributes) }
        if column + width >= columns {
            column = columns - 1
            isBehindEdge = true
        } else {
            column += width
        }
    }

    private mutating func lineFeed() {
        isBehindEdge = false
        guard row == rows - 1 else {
            row += 1
            return
        }
        cells.removeFirst()
        cells.append(Array(repeating: .blank, count: columns))
    }

    private mutating func control(_ rest: inout ArraySlice<Character>) {
        guard rest.popFirst() == "[" else {
            unknown.append("escape")
            return
        }
        var parameters = ""
        while let next = rest.popFirst() {
            guard next.isLetter || next == "@" else {
                parameters.append(next)
                continue
            }
            if !obey(parameters, next) { unknown.append("[\(parameters)\(next)") }
            return
        }
        unknown.append("unfinished")
    }

    /// Obeys a control sequence; `false` if it is unknown.
    private mutating func obey(_ parameters: String, _ final: Character) -> Bool {
        switch (parameters, final) {
        case (_, "m"): attributes = parameters == "0" ? "" : parameters
        case ("?25", "l"): isCursorVisible = false
        case ("?25", "h"): isCursorVisible = true
        case ("?7", "l"): wraps = false
        case ("?7", "h"): wraps = true
        case ("?2026", "h"): break
        case ("?2026", "l"):
            pictures.append(lines)
            lastPicture = cells
        case ("?1049", "h"):
            guard !isAlternate else { break }
            isAlternate = true
            saved = (cells, row, column)
            cells = Self.blank(columns, rows)
        case ("?1049", "l"):
            guard isAlternate, let saved else { break }
            isAlternate = false
            (cells, row, column) = saved
        case (_, "A"):
            row = max(0, row - (Int(parameters) ?? 1))
            isBehindEdge = false
        case (_, "B"):
            row = min(rows - 1, row + (Int(parameters) ?? 1))
            isBehindEdge = false
        case (_, "C"):
            column = min(columns - 1, column + (Int(parameters) ?? 1))
            isBehindEdge = false
        case (_, "D"):
            column = max(0, column - (Int(parameters) ?? 1))
            isBehindEdge = false
        case (_, "G"):
            column = min(max(Int(parameters) ?? 1, 1), columns) - 1
            isBehindEdge = false
        case (_, "@"):
            let blanks = Array(repeating: Cell.blank, count: Int(parameters) ?? 1)
            cells[row] = Array((cells[row][..<column] + blanks + cells[row][column...]).prefix(columns))
        case (_, "P"):
            let count = min(Int(parameters) ?? 1, columns - column)
            cells[row].removeSubrange(column..<(column + count))
            cells[row] += Array(repeating: Cell.blank, count: count)
        case (_, "H"):
            let position = parameters.split(separator: ";").compactMap { Int($0) }
            row = min(max(position.first ?? 1, 1), rows) - 1
            column = min(max(position.count > 1 ? position[1] : 1, 1), columns) - 1
            isBehindEdge = false
        case ("", "K"): eraseLine()
        case ("", "J"):
            eraseLine()
            for below in cells.indices.dropFirst(row + 1) {
                cells[below] = Array(repeating: .blank, count: columns)
            }
        default: return false
        }
        return true
    }

    private mutating func eraseLine() {
        cells[row].replaceSubrange(column..., with: repeatElement(.blank, count: columns - column))
    }
}
