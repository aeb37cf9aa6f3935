// SPDX-License-Identifier: GPL-2.0-or-later

/// The style of text for people: colour, characters and width depend on the destination.
package struct TextStyle: Sendable {
    package var usesColor: Bool
    package var isTerminal: Bool
    /// Whether there are 256 colours; otherwise there are 16.
    package var hasManyColors = false
    /// Whether characters beyond ASCII are shown. A file or pipe always gets them, because its readers expect UTF-8.
    package var usesUnicode = true
    /// The columns of the terminal when the program started; `nil` if it is none.
    package var columns: Int?

    /// The distance of the local time from UTC, in seconds, at a time in seconds since 1970; `nil` for a file, whose
    /// times are in UTC.
    package var localOffset: (@Sendable (_ secondsSince1970: Int) -> Int)?

    package init(usesColor: Bool, isTerminal: Bool) {
        self.usesColor = usesColor
        self.isTerminal = isTerminal
    }

    package static let plain = TextStyle(usesColor: false, isTerminal: false)

    /// The text in the characters that the destination shows.
    package func shown(_ text: String) -> String {
        guard !usesUnicode else { return text }
        // Alone, `ascii` would make a question mark of each ellipsis.
        return TerminalText.ascii(text.split(separator: "…", omittingEmptySubsequences: false).joined(separator: "..."))
    }

    /// An SGR attribute (ECMA-48, 8.3.117).
    package enum Attribute: String, Sendable {
        case bold = "1"
        case faint = "2"
        /// Foreground and background exchanged; it is not a colour.
        case reverse = "7"
        case red = "31"
        case green = "32"
        case yellow = "33"
        case cyan = "36"
        /// Between green and yellow, of 256 colours.
        case lime = "38;5;148"
        /// Between yellow and red, of 256 colours.
        case orange = "38;5;208"
    }

    /// The text in a colour, if colour is on. `reverse` needs no colour, but a terminal.
    package func paint(_ text: String, _ attribute: Attribute) -> String {
        guard usesColor || attribute == .reverse && isTerminal else { return text }
        return "\u{1B}[\(attribute.rawValue)m\(text)\u{1B}[0m"
    }
}
