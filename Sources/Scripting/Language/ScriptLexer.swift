// SPDX-License-Identifier: GPL-2.0-or-later

import Terminal
import Toolkit

/// A line with its continuations, in words.
struct ScriptStatement: Sendable {
    /// The words, at least one.
    var tokens: [ScriptToken]
    /// The text without indentation and comment.
    package var text: String

    package var head: ScriptToken { tokens[0] }
    package var rest: ArraySlice<ScriptToken> { tokens.dropFirst() }
    package var end: ScriptPlace { tokens[tokens.count - 1].end }
}

/// Splits the text of a script into statements, and these into words as a shell does.
struct ScriptLexer {
    private let source: ScriptSource
    /// The line that was read last, from 1.
    private var number = 0
    /// The characters of that line. The lines after it are not decoded yet.
    private var scalars: [Unicode.Scalar] = []
    private var index = 0
    /// The octets of the statement so far, with all its lines.
    private var length = 0
    /// The text of the statement so far, as it was typed, without indentation, continuations and comment.
    private var text = ""

    init(_ source: ScriptSource) { self.source = source }

    /// The next statement; `nil` at the end. After a problem, reading goes on with the next line.
    package mutating func next() throws(ScriptProblem) -> ScriptStatement? {
        while number < source.lineCount {
            length = 0
            text = ""
            try load()
            let tokens = try tokens()
            if !tokens.isEmpty { return ScriptStatement(tokens: tokens, text: text) }
        }
        return nil
    }

    private var here: ScriptPlace { ScriptPlace(file: source.file, line: number, column: index + 1) }
    private var current: Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }

    /// Begins with the next line.
    private mutating func load() throws(ScriptProblem) {
        number += 1
        // Before the check, so that the place of its problem is the new line.
        (scalars, index) = ([], 0)
        // Before the line is decoded, so that a huge one costs little.
        length += source.length(ofLine: number)
        guard length <= ScriptLimits.lineLength else {
            throw ScriptProblem("a line of more than \(ScriptLimits.lineLength) octets", at: here)
        }
        scalars = try source.scalars(ofLine: number)
    }

    /// Goes on with the next line, after a backslash at the end of one.
    private mutating func loadContinuation() throws(ScriptProblem) {
        guard number < source.lineCount else {
            throw ScriptProblem("the backslash continues the line, and no line follows", at: here)
        }
        try load()
    }

    /// The words of a line and of its continuation lines. A backslash at the end of a line continues the statement.
    private mutating func tokens() throws(ScriptProblem) -> [ScriptToken] {
        var tokens: [ScriptToken] = []
        var blanks = ""
        // A number sign begins a comment only where a word could begin: `a#b` is one word.
        while let scalar = current, scalar != "#" {
            if scalar == " " || scalar == "\t" {
                blanks.unicodeScalars.append(scalar)
                index += 1
            } else if scalar == "\\", index == scalars.count - 1 {
                // A continuation counts as one blank, whatever indentation follows it.
                try loadContinuation()
                while current == " " || current == "\t" { index += 1 }
                blanks = " "
            } else {
                // Blanks before the first word are the indentation, and those after the last one are dropped.
                if !tokens.isEmpty { text += blanks }
                blanks = ""
                tokens.append(try token())
                guard tokens.count <= ScriptLimits.words else {
                    throw ScriptProblem("more than \(ScriptLimits.words) words in a line", at: tokens[tokens.count - 1])
                }
            }
        }
        return tokens
    }

    private mutating func advance() {
        text.unicodeScalars.append(scalars[index])
        index += 1
    }

    /// One word: pieces with and without quotes follow each other without a blank, as in a shell.
    private mutating func token() throws(ScriptProblem) -> ScriptToken {
        var token = ScriptToken(place: here)
        while let scalar = current, scalar != " ", scalar != "\t" {
            switch scalar {
            case "'": try takeSingleQuoted(&token)
            case "\"": try takeDoubleQuoted(&token)
            case "$": try takeDollar(&token, isQuoted: false)
            case "\\" where index == scalars.count - 1: try loadContinuation()
            case "\\":
                // A character follows: the case above has the backslash at the end of the line.
                let start = index
                advance()
                token.isQuoted = true
                take(scalars[index], &token, from: start, isQuoted: true)
            default: take(scalar, &token, from: index, isQuoted: false)
            }
        }
        // Of a word that goes on in a further line, only the first character is marked.
        token.length = token.place.line == number ? max(1, index + 1 - token.place.column) : 1
        return token
    }

    /// Adds the character at the index, the spelling of which begins at `start`.
    private mutating func take(
        _ scalar: Unicode.Scalar,
        _ token: inout ScriptToken,
        from start: Int,
        isQuoted: Bool
    ) {
        advance()
        add(.scalar(scalar), &token, from: start, isQuoted: isQuoted)
    }

    /// Adds a piece whose spelling ends before the index.
    private func add(_ content: ScriptToken.Piece.Content, _ token: inout ScriptToken, from start: Int, isQuoted: Bool)
    {
        token.pieces.append(
            ScriptToken.Piece(
                content: content,
                isQuoted: isQuoted,
                line: number,
                column: start + 1,
                length: index - start
            )
        )
    }

    /// Takes a piece in single quotes, in which nothing has a special meaning. It ends on its line.
    private mutating func takeSingleQuoted(_ token: inout ScriptToken) throws(ScriptProblem) {
        let start = here
        token.isQuoted = true
        advance()
        while let scalar = current {
            if scalar == "'" { return advance() }
            take(scalar, &token, from: index, isQuoted: true)
        }
        throw ScriptProblem("the quote is not closed on its line", at: start, length: index + 1 - start.column)
    }

    /// Takes the rest of a double-quoted piece. An unknown escape is an error.
    private mutating func takeDoubleQuoted(_ token: inout ScriptToken) throws(ScriptProblem) {
        let start = here
        token.isQuoted = true
        advance()
        while let scalar = current {
            switch scalar {
            case "\"": return advance()
            case "$": try takeDollar(&token, isQuoted: true)
            // Within double quotes, the lines are joined without a blank, and with the indentation of the
            // second one.
            case "\\" where index == scalars.count - 1: try loadContinuation()
            case "\\":
                // A character follows: the case above has the backslash at the end of the line.
                let backslash = index
                let place = here
                advance()
                let meaning: Unicode.Scalar
                switch scalars[index] {
                case "n": meaning = "\n"
                case "t": meaning = "\t"
                case "\"", "\\", "$": meaning = scalars[index]
                default:
                    throw ScriptProblem(
                        "an unknown escape in double quotes",
                        at: place,
                        length: 2,
                        hint: "there are \\\", \\\\, \\$, \\n and \\t; single quotes have no escapes"
                    )
                }
                take(meaning, &token, from: backslash, isQuoted: true)
            default: take(scalar, &token, from: index, isQuoted: true)
            }
        }
        throw ScriptProblem(
            "the quote is not closed on its line",
            at: start,
            length: start.line == number ? max(1, index + 1 - start.column) : 1
        )
    }

    private mutating func takeDollar(_ token: inout ScriptToken, isQuoted: Bool) throws(ScriptProblem) {
        let start = index
        let place = here
        advance()
        switch current {
        case "$": take("$", &token, from: start, isQuoted: isQuoted)
        case "{":
            advance()
            var name = ""
            // A blank or a quote ends the name, so that a missing brace does not swallow the rest of the line.
            while let scalar = current, scalar != "}", scalar != " ", scalar != "\"" {
                name.unicodeScalars.append(scalar)
                advance()
            }
            let length = index - start + (current == "}" ? 1 : 0)
            guard current == "}" else {
                throw ScriptProblem("'${' has no '}'", at: place, length: length, hint: "$$ is a dollar")
            }
            advance()
            guard let part = ScriptWord.Part(reference: name) else {
                throw ScriptProblem(
                    "\(Prose.quoted("${\(name)}")) is not a variable",
                    at: place,
                    length: length,
                    hint: "${NAME}, ${NAME.FIELD} or ${env:NAME}; $$ is a dollar"
                )
            }
            add(.variable(part), &token, from: start, isQuoted: isQuoted)
        case let next? where ScriptName.isFirst(next):
            var name = ""
            while let scalar = current, ScriptName.isFurther(scalar) {
                name.unicodeScalars.append(scalar)
                advance()
            }
            throw ScriptProblem(
                "a variable needs braces",
                at: place,
                length: index - start,
                hint: "${\(name)}; $$ is a dollar"
            )
        // As in a shell, a dollar that begins no name is a text: `matches end$` needs no escape.
        default: add(.scalar("$"), &token, from: start, isQuoted: isQuoted)
        }
    }
}
