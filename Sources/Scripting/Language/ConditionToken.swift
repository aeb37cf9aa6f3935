// SPDX-License-Identifier: GPL-2.0-or-later

/// A part of a condition: signs need no blanks around them.
struct ConditionToken {
    /// The sign, if it is one: `(`, `)`, `==`, `!=`, `<`, `<=`, `>`, `>=`, and `=` and `!`, which are none.
    package var sign: String?
    /// The word or the sign in the text.
    var token: ScriptToken

    package var bare: String? { sign == nil ? token.bare : nil }

    /// Splits words at signs that are not quoted.
    package static func split(_ tokens: ArraySlice<ScriptToken>) -> [ConditionToken] {
        var parts: [ConditionToken] = []
        for token in tokens {
            var start = 0
            var index = 0
            while index < token.pieces.count {
                guard let length = signLength(token.pieces, index) else {
                    index += 1
                    continue
                }
                if start < index { parts.append(ConditionToken(token: token.part(start..<index))) }
                let sign = token.part(index..<(index + length))
                parts.append(ConditionToken(sign: sign.bareText, token: sign))
                index += length
                start = index
            }
            // Without a sign the word stays whole, even if it has no pieces: '' is a word.
            if start == 0 {
                parts.append(ConditionToken(token: token))
            } else if start < token.pieces.count {
                parts.append(ConditionToken(token: token.part(start..<token.pieces.count)))
            }
        }
        return parts
    }

    /// The number of characters of the sign that begins at the index, where the longer one has precedence; `nil` if
    /// there is none.
    private static func signLength(_ pieces: [ScriptToken.Piece], _ index: Int) -> Int? {
        switch pieces[index].bare {
        case "(", ")": return 1
        case "<", ">", "=", "!":
            let isPair = index + 1 < pieces.count && pieces[index + 1].bare == "="
            return isPair ? 2 : 1
        default: return nil
        }
    }
}

extension ScriptToken {
    /// The characters that are not quoted.
    fileprivate var bareText: String {
        var text = ""
        for piece in pieces { if let scalar = piece.bare { text.unicodeScalars.append(scalar) } }
        return text
    }

    /// The words on both sides of two dots that are not quoted; `nil` if there are none.
    var rangeBounds: (lower: ScriptToken?, upper: ScriptToken?)? {
        let dots = pieces.indices.dropLast().first { pieces[$0].bare == "." && pieces[$0 + 1].bare == "." }
        guard let dots else { return nil }
        return (dots > 0 ? part(0..<dots) : nil, dots + 2 < pieces.count ? part((dots + 2)..<pieces.count) : nil)
    }
}
