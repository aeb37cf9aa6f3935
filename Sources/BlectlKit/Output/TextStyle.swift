// SPDX-License-Identifier: GPL-2.0-or-later

/// The style of text for people: colour and escaping depend on the destination.
public struct TextStyle: Sendable {
    /// Whether to use colour.
    public var usesColor: Bool
    /// Whether the text goes to a terminal.
    public var isTerminal: Bool

    /// Makes a style.
    public init(usesColor: Bool, isTerminal: Bool) {
        self.usesColor = usesColor
        self.isTerminal = isTerminal
    }

    /// No colour, no terminal.
    public static let plain = TextStyle(usesColor: false, isTerminal: false)

    /// An SGR attribute.
    public enum Attribute: String, Sendable {
        /// Bold.
        case bold = "1"
        /// Faint.
        case faint = "2"
        /// Red.
        case red = "31"
        /// Green.
        case green = "32"
        /// Yellow.
        case yellow = "33"
        /// Cyan.
        case cyan = "36"
    }

    /// The text in a colour, if colour is on.
    public func paint(_ text: String, _ attribute: Attribute) -> String {
        usesColor ? "\u{1B}[\(attribute.rawValue)m\(text)\u{1B}[0m" : text
    }
}
