// SPDX-License-Identifier: GPL-2.0-or-later

/// Makes text from the air safe to print: an attacker can choose the names and strings of devices.
package enum TerminalText {
    /// The text with everything escaped that a terminal might obey or that would mislead a reader: control characters
    /// (C0, DEL, C1), line and paragraph separators, bidirectional controls, zero-width and other invisible characters.
    ///
    /// Escapes are written as `\u{1B}`; line feed, carriage return and tab as `\n`, `\r`, `\t`. A backslash stays as it
    /// is.
    package static func escaped(_ text: String) -> String {
        guard !isPrintableASCII(text), text.unicodeScalars.contains(where: isUnsafe) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            guard isUnsafe(scalar) else {
                result.unicodeScalars.append(scalar)
                continue
            }
            switch scalar {
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            default: result += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            }
        }
        return result
    }

    /// Whether all characters are printable ASCII, as in most texts: they are safe, and one column wide each.
    private static func isPrintableASCII(_ text: String) -> Bool {
        func isPrintable(_ octets: some Sequence<UInt8>) -> Bool { octets.allSatisfy { $0 >= 0x20 && $0 < 0x7F } }
        // The storage of a string is read several times faster than its view.
        return text.utf8.withContiguousStorageIfAvailable { isPrintable($0) } ?? isPrintable(text.utf8)
    }

    /// Whether a terminal might obey it, or it would mislead a reader.
    package static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
        default:
            // Fillers and variation selectors are invisible, although their categories are those of visible
            // characters.
            switch scalar.value {
            case 0x034F, 0x115F...0x1160, 0x17B4...0x17B5, 0x180B...0x180F, 0x2800, 0x3164, 0xFE00...0xFE0F, 0xFFA0,
                0xE0100...0xE01EF:
                true
            default: false
            }
        }
    }

    /// The number of terminal columns of the text: two for wide East Asian characters and emoji, none for combining
    /// marks.
    package static func width(of text: String) -> Int {
        guard !isPrintableASCII(text) else { return text.utf8.count }
        var width = 0
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .nonspacingMark, .enclosingMark, .format, .control: continue
            default: break
            }
            width += isWide(scalar) ? 2 : 1
        }
        return width
    }

    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        // Emoji that are pictures by default are as wide as East Asian characters.
        if scalar.properties.isEmojiPresentation { return true }
        return switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
            0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F,
            0x1F900...0x1F9FF, 0x20000...0x3FFFD:
            true
        default: false
        }
    }

    /// The text cut to at most `columns` columns, with an ellipsis as the last one if it was cut.
    package static func fitted(_ text: String, columns: Int, ellipsis: String = "…") -> String {
        guard width(of: text) > columns else { return text }
        var result = ""
        var used = 0
        for character in text {
            let next = width(of: String(character))
            guard used + next <= columns - 1 else { break }
            result.append(character)
            used += next
        }
        return columns > 0 ? result + ellipsis : ""
    }

    /// The text for a terminal that shows no more than ASCII: a question mark for each column of other characters.
    package static func ascii(_ text: String) -> String {
        guard !isPrintableASCII(text) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            if scalar.isASCII {
                result.unicodeScalars.append(scalar)
            } else {
                result += String(repeating: "?", count: width(of: String(scalar)))
            }
        }
        return result
    }

    /// The text filled up with blanks to at least `columns` columns.
    package static func padded(_ text: String, columns: Int) -> String {
        var text = text
        for _ in 0..<max(0, columns - width(of: text)) { text += " " }
        return text
    }
}
