// SPDX-License-Identifier: GPL-2.0-or-later

import Terminal

/// Turns received octets into text that is safe on a terminal. A character may come in several values.
struct SerialDecoder {
    /// The octets of a character whose rest has not come: at most 3.
    private var pending: [UInt8] = []
    /// Whether the text so far ends with a carriage return. A line feed that follows belongs to it.
    private var endedWithReturn = false
    /// Whether the last line is complete.
    private(set) var isAtLineStart = true

    /// The text of received octets. Line feeds, returns and tabs keep their meaning, except that a return alone ends a
    /// line, so that nothing that stands there is overwritten; everything else that a terminal might obey is escaped.
    package mutating func text(of octets: [UInt8]) -> String {
        pending += octets
        let rest = Self.incompleteCount(pending)
        let complete = pending.dropLast(rest)
        pending = Array(pending.suffix(rest))
        return escaped(String(decoding: complete, as: UTF8.self))
    }

    /// The octets that began a character that was never completed.
    package mutating func finish() -> String {
        defer { pending = [] }
        return escaped(String(decoding: pending, as: UTF8.self))
    }

    /// Escapes control characters, and unites the ends of lines.
    private mutating func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n" where endedWithReturn: break
            case "\n", "\r": result += "\n"
            case "\t": result += "\t"
            default: result += TerminalText.escaped(String(Character(scalar)))
            }
            endedWithReturn = scalar == "\r"
        }
        if let last = result.unicodeScalars.last { isAtLineStart = last == "\n" }
        return result
    }

    /// How many octets at the end begin a character of UTF-8 that is not complete: at most 3.
    private static func incompleteCount(_ octets: [UInt8]) -> Int {
        for (offset, octet) in octets.reversed().prefix(3).enumerated() {
            let length =
                switch octet {
                case 0x80...0xBF: 0
                case 0xC2...0xDF: 2
                case 0xE0...0xEF: 3
                case 0xF0...0xF4: 4
                // 0xC0, 0xC1 and 0xF5 to 0xFF begin no character of UTF-8, so no rest is waited for.
                default: 1
                }
            if length > 0 { return length > offset + 1 ? offset + 1 : 0 }
        }
        return 0
    }
}
