// SPDX-License-Identifier: GPL-2.0-or-later

/// The end of a text on a terminal that began in the first column.
struct CursorPosition: Equatable {
    /// The row, counted from that of the beginning.
    package var row = 0
    package var column = 0

    /// The place after a text.
    ///
    /// - Parameter columns: Those of the terminal, at least 1. A line that is full goes on in the next row.
    init(behind text: String, columns: Int) {
        let columns = max(1, columns)
        for scalar in text.unicodeScalars {
            if scalar == "\n" {
                (row, column) = (row + 1, 0)
                continue
            }
            // The editor shows a control character as two: ^A.
            var width = scalar.value < 0x20 || scalar.value == 0x7F ? 2 : TerminalText.width(of: String(scalar))
            if scalar == "\t" { width = 8 - column % 8 }
            if column + width > columns { (row, column) = (row + 1, 0) }
            column += width
            if column >= columns { (row, column) = (row + 1, 0) }
        }
    }
}
