// SPDX-License-Identifier: GPL-2.0-or-later

/// A word of a line, with all that its grammar may depend on: which characters were quoted, and where each stands.
package struct ScriptToken: Sendable {
    /// A character, or a variable.
    package struct Piece: Sendable {
        package enum Content: Sendable {
            case scalar(Unicode.Scalar)
            case variable(ScriptWord.Part)
        }

        package let content: Content
        let isQuoted: Bool
        /// The line of the piece, from 1. It is not that of the word if the piece follows a continuation.
        package let line: Int
        package let column: Int
        package let length: Int

        /// The character, if it is one that was not quoted.
        package var bare: Unicode.Scalar? {
            if !isQuoted, case .scalar(let scalar) = content { scalar } else { nil }
        }
    }

    package var pieces: [Piece] = []
    /// Whether a part of it was quoted, maybe an empty one.
    var isQuoted = false
    package var place: ScriptPlace
    /// The number of characters in the text, up to the end of the line.
    package var length = 1

    /// The text, if nothing in it is quoted or a variable: only then it can be a keyword.
    package var bare: String? {
        guard !isQuoted else { return nil }
        var text = ""
        for piece in pieces {
            guard let scalar = piece.bare else { return nil }
            text.unicodeScalars.append(scalar)
        }
        return text
    }

    package var word: ScriptWord {
        var parts: [ScriptWord.Part] = []
        var literal = ""
        for piece in pieces {
            switch piece.content {
            case .scalar(let scalar): literal.unicodeScalars.append(scalar)
            case .variable(let part):
                if !literal.isEmpty { parts.append(.literal(literal)) }
                literal = ""
                parts.append(part)
            }
        }
        // An empty word, such as '', is one empty literal.
        if !literal.isEmpty || parts.isEmpty { parts.append(.literal(literal)) }
        return ScriptWord(parts: parts, isQuoted: isQuoted, place: place)
    }

    package func part(_ range: Range<Int>) -> ScriptToken {
        // The whole word keeps its quotes, even if nothing is between them.
        guard range != pieces.indices else { return self }
        var part = ScriptToken(pieces: Array(pieces[range]), place: place)
        part.isQuoted = part.pieces.contains(where: \.isQuoted)
        if let first = part.pieces.first, let last = part.pieces.last {
            part.place.line = first.line
            part.place.column = first.column
            part.length = first.line == last.line ? last.column + last.length - first.column : 1
        }
        return part
    }

    package var end: ScriptPlace {
        var end = place
        end.column += length
        return end
    }
}

extension ScriptWord {
    /// The word with its variables as a script writes them, for messages.
    package var shown: String {
        parts.reduce(into: "") { text, part in
            switch part {
            case .literal(let literal): text += literal
            case .variable(let name, let path): text += "${\(([name] + path).joined(separator: "."))}"
            case .environment(let name): text += "${env:\(name)}"
            }
        }
    }

    /// The text with the variables replaced; `nil` if one of them is not known.
    ///
    /// - Parameter value: The value of a part that is a variable; `nil` if it is not known.
    package func text(_ value: (Part) -> String?) -> String? {
        var text = ""
        for part in parts {
            if case .literal(let literal) = part {
                text += literal
            } else if let known = value(part) {
                text += known
            } else {
                return nil
            }
        }
        return text
    }
}
