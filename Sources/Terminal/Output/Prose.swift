// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

/// Helpers for the text of messages.
package enum Prose {
    /// The maximum number of characters of an argument that a message quotes.
    private static let longestQuote = 80
    /// The maximum number of characters of a word in a message. A value of 512 octets is shorter in hexadecimal.
    private static let longestWord = 1_200
    /// The maximum number of characters of a message.
    private static let longestMessage = 2_400

    /// A message in which words that are longer than any name or value should be have lost their middle, and which ends
    /// where nobody reads on: it may contain what was typed.
    package static func shortened(_ message: String) -> String {
        guard message.utf8.count > longestWord else { return message }
        var words = message.split(separator: " ", omittingEmptySubsequences: false)
            .prefix(longestMessage).map(String.init)
        for index in words.indices where words[index].unicodeScalars.count > longestWord {
            let scalars = words[index].unicodeScalars
            words[index] = "\(String(scalars.prefix(100)))…\(String(scalars.suffix(20)))"
        }
        let text = words.joined(separator: " ")
        let scalars = text.unicodeScalars
        return scalars.count > longestMessage ? "\(String(scalars.prefix(longestMessage)))…" : text
    }

    /// `a`, `a or b`, `a, b or c`.
    package static func list(_ items: [String], _ conjunction: String = "or") -> String {
        guard let last = items.last, items.count > 1 else { return items.first ?? "" }
        return "\(items.dropLast().joined(separator: ", ")) \(conjunction) \(last)"
    }

    /// A text as one word of a command line for a shell: in quotes if it needs them.
    package static func word(_ text: String) -> String {
        let signs = Set("-_./:=,@%+".utf8)
        let isPlain = text.utf8.allSatisfy { octet in
            switch octet {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"):
                true
            default: signs.contains(octet)
            }
        }
        return isPlain && !text.isEmpty ? text : "'\(text.replacing("'", with: #"'\''"#))'"
    }

    /// A text in which each of these parts, in their order, is replaced.
    ///
    /// Parts are found by scalars, because an invisible one at the beginning of a part forms one character with the quote
    /// before it.
    package static func text(_ text: String, replacing parts: [String], with mark: String) -> String {
        parts.reduce(text) { $0.replacing($1, with: mark) }
    }

    package static func text(_ text: String, has part: String) -> Bool { text.contains(text: part) }

    /// A typed text in quotes. Characters that could control a terminal are escaped.
    package static func quoted(_ text: String) -> String {
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
