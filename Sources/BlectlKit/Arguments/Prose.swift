// SPDX-License-Identifier: GPL-2.0-or-later

/// Helpers for the text of messages.
enum Prose {
    /// The maximum number of characters of an argument that a message quotes.
    private static let longestQuote = 80

    /// `a`, `a or b`, `a, b or c`.
    static func list(_ items: [String], _ conjunction: String = "or") -> String {
        guard let last = items.last, items.count > 1 else { return items.first ?? "" }
        return "\(items.dropLast().joined(separator: ", ")) \(conjunction) \(last)"
    }

    /// A typed text in quotes. Characters that could control a terminal are escaped.
    static func quoted(_ text: String) -> String {
        var quoted = "'"
        // Scalars, because one character can consist of any number of them.
        for scalar in text.unicodeScalars.prefix(longestQuote) {
            switch scalar.properties.generalCategory {
            // Format characters include those that reverse the direction of text on a terminal.
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned:
                quoted += "\\u{\(String(scalar.value, radix: 16))}"
            default:
                quoted.unicodeScalars.append(scalar)
            }
        }
        if text.unicodeScalars.dropFirst(longestQuote).first != nil { quoted += "..." }
        return quoted + "'"
    }
}
