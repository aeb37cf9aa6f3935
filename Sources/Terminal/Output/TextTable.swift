// SPDX-License-Identifier: GPL-2.0-or-later

/// Columns under headings, for a terminal.
package struct TextTable {
    package let headings: [String]
    package let rows: [[String]]

    package init(_ headings: [String], _ rows: [[String]]) {
        self.headings = headings
        self.rows = rows
    }

    /// The lines: the headings, then the rows. The last column may extend to the edge of the terminal.
    package func lines(_ style: TextStyle, columns: Int? = nil) -> [String] {
        var widths = headings.map { TerminalText.width(of: $0) }
        for row in rows {
            for (index, cell) in row.enumerated() where index < widths.count {
                widths[index] = max(widths[index], TerminalText.width(of: cell))
            }
        }
        let all = [headings] + rows
        return all.enumerated().map { number, row in
            var line = ""
            for (index, cell) in row.enumerated() {
                if index > 0 { line += "  " }
                line += index == row.count - 1 ? cell : TerminalText.padded(cell, columns: widths[index])
            }
            if let columns { line = TerminalText.fitted(line, columns: columns) }
            return number == 0 ? style.paint(line, .bold) : line
        }
    }
}
