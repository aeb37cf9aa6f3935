// SPDX-License-Identifier: GPL-2.0-or-later

/// The text before the line that is typed: the device, and whether it is connected.
enum ShellPrompt {
    /// The maximum number of columns of a device's name.
    private static let nameLimit = 24

    /// The prompt.
    ///
    /// - Parameters:
    ///   - name: The name or the address of the device, which may be of a stranger's choice; `nil` for none.
    ///   - isConnected: Whether there is a link.
    ///   - usesUnicode: Whether the terminal shows more than ASCII.
    static func text(_ name: String?, isConnected: Bool, usesUnicode: Bool = true) -> String {
        guard let name else { return "blectl> " }
        let safe = TerminalText.escaped(name)
        let ellipsis = usesUnicode ? "…" : "~"
        let shown = TerminalText.fitted(
            usesUnicode ? safe : TerminalText.ascii(safe),
            columns: nameLimit,
            ellipsis: ellipsis
        )
        return isConnected ? "\(shown)> " : "\(shown) (not connected)> "
    }
}

/// The end of a text on a terminal that began in the first column.
struct TerminalPlace: Equatable {
    /// The row, counted from that of the beginning.
    var row = 0
    var column = 0

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
