// SPDX-License-Identifier: GPL-2.0-or-later

/// Helpers to write pictures in SVG.
package enum SVGText {
    /// Text without characters that have a meaning for XML, or for a terminal that shows the file.
    package static func escaped(_ text: String) -> String {
        var result = ""
        for character in TerminalText.escaped(text) {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            default: result.append(character)
            }
        }
        return result
    }

    /// Text of at most so many columns.
    package static func fitted(_ text: String, columns: Int) -> String {
        TerminalText.fitted(TerminalText.escaped(text), columns: columns, ellipsis: "…")
    }

    /// A coordinate with at most one digit after the decimal point.
    static func coordinate(_ value: Double) -> String {
        // The conversion to an integer traps for a number that does not fit.
        guard value.isFinite, abs(value) < 1e9 else { return "0" }
        let tenths = Int((value * 10).rounded())
        let (whole, fraction) = tenths.magnitude.quotientAndRemainder(dividingBy: 10)
        return (tenths < 0 ? "-" : "") + (fraction == 0 ? "\(whole)" : "\(whole).\(fraction)")
    }
}
