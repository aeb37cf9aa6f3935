// SPDX-License-Identifier: GPL-2.0-or-later

/// The control sequences of a screen, and the changes from one picture to the next.
package struct ScreenUpdate: Sendable {
    /// Begins a screen: the alternate screen, which leaves the user's lines and their history alone; no cursor; lines
    /// that are longer than expected are cut instead of wrapped.
    package static let enter = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l"
    /// Ends a screen. A terminal without an alternate screen, such as the console of Linux, is cleared.
    package static let leave = "\u{1B}[H\u{1B}[J\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"
    /// A picture between these two is shown at once, so that nothing flickers.
    package static let begin = "\u{1B}[?2026h"
    /// Ends the update of `begin`: the terminal shows the picture.
    package static let end = "\u{1B}[?2026l"

    /// The lines that the terminal shows; `nil` if that is not known.
    private var shown: [String]?
    /// The size of the terminal when they were drawn.
    private var size = ScreenSize(columns: 0, rows: 0)

    /// The next picture is drawn as a whole, because the terminal shows something else.
    package mutating func forget() { shown = nil }

    /// The text that turns the last picture on the screen into this one; `nil` if nothing has changed.
    package mutating func text(for lines: [String], _ size: ScreenSize) -> String? {
        let lines = Array(lines.prefix(size.rows))
        // Many terminals rearrange their lines when their size changes.
        let previous = size == self.size ? shown : nil
        guard previous != lines else { return nil }
        var text = Self.begin
        for (row, line) in lines.enumerated() where previous.map({ row >= $0.count || $0[row] != line }) ?? true {
            text += "\u{1B}[\(row + 1);1H\(line)\u{1B}[K"
        }
        if lines.count < previous?.count ?? size.rows { text += "\u{1B}[\(lines.count + 1);1H\u{1B}[J" }
        text += Self.end
        (shown, self.size) = (lines, size)
        return text
    }
}

package struct ScreenSize: Hashable, Sendable {
    package let columns: Int
    package let rows: Int

    package init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
    }

    /// The columns of a line. The last column stays empty, because a character in it makes many terminals erase it with
    /// "erase to end of line".
    package var lineColumns: Int { max(1, columns - 1) }
}
