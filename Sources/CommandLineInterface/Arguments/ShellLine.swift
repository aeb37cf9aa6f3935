// SPDX-License-Identifier: GPL-2.0-or-later

/// A line of the shell as words.
///
/// Blanks separate words. Quotes and a backslash remove the special meaning of characters: between single quotes all
/// characters are literal, between double quotes a backslash is special before `"` and `\`. A word that begins with `#`
/// begins a comment. A line that ends with `&` runs beside the next ones. There are no variables, pipes or
/// redirections.
package struct ShellLine: Equatable {
    /// The reason why a text cannot be parsed as a line.
    package enum Problem: Error, Equatable {
        /// A quote without its other end.
        case openQuote(Character)
        case lonelyBackslash
        /// There are words after `&`, or none before it.
        case misplacedAmpersand

        package var text: String {
            switch self {
            case .openQuote(let quote): "the quotation mark \(quote) has no other end"
            case .lonelyBackslash: "a backslash at the end stands before nothing"
            case .misplacedAmpersand: "'&' stands only after a whole command; in a value it needs quotes"
            }
        }
    }

    package struct Word: Equatable {
        package var text: String
        /// The number of Unicode scalars of the line before it.
        package var start: Int
    }

    package private(set) var words: [Word] = []
    package private(set) var isBackground = false
    /// A problem of the line, such as an open quote; the last word is incomplete then.
    private(set) var problem: Problem?
    /// Whether the last word is followed by a separator.
    package private(set) var isLastComplete = true

    /// Splits a text. Records a `problem`, and keeps the words before it for completion.
    package init(unfinished text: String) {
        let scalars = Array(text.unicodeScalars)
        var word: Word?
        var index = 0
        func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\t" }
        func finish() {
            if let word { words.append(word) }
            word = nil
        }
        func append(_ scalar: Unicode.Scalar) { word?.text.unicodeScalars.append(scalar) }
        while index < scalars.count {
            let scalar = scalars[index]
            if isBlank(scalar) {
                finish()
                index += 1
                continue
            }
            if word == nil, scalar == "#" { break }
            if scalar == "&" {
                finish()
                let rest = scalars[(index + 1)...].drop(while: isBlank)
                if words.isEmpty || !(rest.isEmpty || rest.first == "#") { problem = .misplacedAmpersand }
                isBackground = true
                break
            }
            word = word ?? Word(text: "", start: index)
            index += 1
            switch scalar {
            case "'", "\"":
                guard let end = quoted(scalars, from: index, by: scalar, append) else {
                    problem = .openQuote(Character(scalar))
                    index = scalars.count
                    break
                }
                index = end
            case "\\":
                guard index < scalars.count else {
                    problem = .lonelyBackslash
                    break
                }
                append(scalars[index])
                index += 1
            default: append(scalar)
            }
        }
        isLastComplete = word == nil
        finish()
    }

    /// Splits a whole line. Throws if it is none.
    package init(_ text: String) throws(Problem) {
        self.init(unfinished: text)
        if let problem { throw problem }
    }

    /// The word in a form in which the shell reads it as one: with a backslash before special characters.
    package static func escaped(_ word: String) -> String {
        guard !word.isEmpty else { return "''" }
        var result = ""
        for (index, scalar) in word.unicodeScalars.enumerated() {
            if " \t'\"\\&".unicodeScalars.contains(scalar) || index == 0 && scalar == "#" { result += "\\" }
            result.unicodeScalars.append(scalar)
        }
        return result
    }
}

/// Takes the text between quotes. Returns the place after the closing one; `nil` if there is none.
private func quoted(
    _ scalars: [Unicode.Scalar],
    from start: Int,
    by quote: Unicode.Scalar,
    _ append: (Unicode.Scalar) -> Void
) -> Int? {
    var index = start
    while index < scalars.count {
        var scalar = scalars[index]
        index += 1
        if scalar == quote { return index }
        if quote == "\"", scalar == "\\", index < scalars.count, scalars[index] == "\"" || scalars[index] == "\\" {
            scalar = scalars[index]
            index += 1
        }
        append(scalar)
    }
    return nil
}
