// SPDX-License-Identifier: GPL-2.0-or-later

/// The characters with which screens are drawn. Each is one column wide.
package struct Glyphs: Sendable, Equatable {
    /// The end of a text that was cut.
    package let ellipsis: String
    /// Parts of a column, from an eighth to all of it, growing to the right.
    package let bar: [String]
    /// The empty part of a bar.
    package let track: String
    /// Parts of a column, from an eighth to all of it, growing upwards.
    package let levels: [String]
    /// Before the selected row.
    package let pointer: String
    /// Yes.
    package let dot: String
    /// The heading by which rows are sorted.
    package let down: String
    /// Between parts of a line.
    package let separator: String
    /// The names of the arrow keys.
    package let arrows: String
    /// The lines of a tree: past a branch, to a branch, to the last branch.
    package let tree: (past: String, branch: String, last: String)

    /// There are only two sets, which differ in their first member.
    package static func == (left: Self, right: Self) -> Bool { left.ellipsis == right.ellipsis }

    /// Block elements and lines, with eight steps to a column.
    static let unicode = Glyphs(
        ellipsis: "…",
        bar: ["▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"],
        track: "░",
        levels: ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"],
        pointer: "▸",
        dot: "●",
        down: "▾",
        separator: " · ",
        arrows: "↑↓",
        tree: ("│  ", "├─ ", "└─ ")
    )

    /// ASCII, in which the steps of a bar can only be suggested.
    package static let ascii = Glyphs(
        ellipsis: "~",
        bar: [".", ".", "-", "-", "=", "=", "#", "#"],
        track: " ",
        levels: ["_", ".", ",", "-", "=", "+", "*", "#"],
        pointer: ">",
        dot: "*",
        down: "v",
        separator: ", ",
        arrows: "j/k",
        tree: ("|  ", "|- ", "`- ")
    )
}

extension TextStyle {
    /// The characters that the destination shows.
    package var glyphs: Glyphs { usesUnicode ? .unicode : .ascii }
}
