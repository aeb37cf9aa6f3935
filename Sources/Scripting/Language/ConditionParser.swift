// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import CommandLineInterface
import Terminal
import Toolkit

/// Reads a condition:
///
/// ```
/// condition   := conjunction { "or" conjunction }
/// conjunction := factor { "and" factor }
/// factor      := "not" factor | "(" condition ")" | [FIELD] relation
/// ```
struct ConditionParser {
    /// The words that have a meaning in a condition, or after one.
    static let keywords: Set<String> = [
        "and", "or", "not", "is", "in", "matches", "contains", "mask", "length", "present", "absent", "then", "expect",
        "as",
        "within", "where", "for",
    ]
    /// The words and signs that begin a relation.
    static let relations = ["is", "in", "matches", "contains", "mask", "length", "present", "absent"]
    private static let signs: Set<String> = ["==", "!=", "<", "<=", ">", ">="]
    private static let allowed = """
        VALUE, A..B, ==, !=, <, <=, >, >=, is, is not, in, matches, contains, mask, length, present or absent
        """

    private let tokens: [ConditionToken]
    private var index = 0
    /// The place after the last word.
    private let end: ScriptPlace

    /// Reads all of the words as one condition.
    ///
    /// - Parameter keyword: The word before the condition.
    static func condition(
        _ words: ArraySlice<ScriptToken>,
        after keyword: ScriptToken
    ) throws(ScriptProblem) -> ScriptCondition {
        var parser = ConditionParser(ConditionToken.split(words), end: words.last?.end ?? keyword.end)
        guard !words.isEmpty else {
            throw ScriptProblem("missing condition", at: keyword.end, hint: "[FIELD] \(allowed)")
        }
        let condition = try parser.disjunction(depth: 0)
        if let rest = parser.current { throw parser.unexpected(rest) }
        return condition
    }

    private init(_ tokens: [ConditionToken], end: ScriptPlace) {
        self.tokens = tokens
        self.end = end
    }

    private var current: ConditionToken? { index < tokens.count ? tokens[index] : nil }

    private mutating func take(_ keyword: String) -> Bool {
        guard current?.bare == keyword else { return false }
        index += 1
        return true
    }

    private func unexpected(_ found: ConditionToken) -> ScriptProblem {
        if found.sign == ")" { return ScriptProblem("there is no '(' for this ')'", at: found.token) }
        if found.sign == "=" { return ScriptProblem("'=' is written '=='", at: found.token) }
        if found.sign == "!" { return ScriptProblem("'!' is written 'not'", at: found.token) }
        if found.bare == "not", let field = tokens[..<index].last, field.bare.map(ScriptName.isPath) ?? false,
            index + 1 < tokens.count, Self.begins(tokens[index + 1])
        {
            // Of the rest, only the part of the same comparison.
            let rest = tokens[(index + 1)...].prefix { token in
                token.sign != "(" && token.sign != ")" && token.bare.map { !["and", "or"].contains($0) } ?? true
            }
            let words = ["not", field.token.word.shown] + rest.map { $0.sign ?? $0.token.word.shown }
            return ScriptProblem(
                "'not' stands before the field, not after it",
                at: found.token,
                hint: words.joined(separator: " ")
            )
        }
        return ScriptProblem(
            "unexpected \(Prose.quoted(found.token.word.shown)) after a condition",
            at: found.token,
            hint: ScriptCommand.hint(forOption: found.token)
                ?? "and, or, the end of the condition; a text with blanks or signs is quoted"
        )
    }

    private mutating func disjunction(depth: Int) throws(ScriptProblem) -> ScriptCondition {
        var parts = [try conjunction(depth: depth)]
        while take("or") { parts.append(try conjunction(depth: depth)) }
        return parts.count == 1 ? parts[0] : .any(parts)
    }

    private mutating func conjunction(depth: Int) throws(ScriptProblem) -> ScriptCondition {
        var parts = [try factor(depth: depth)]
        while take("and") { parts.append(try factor(depth: depth)) }
        return parts.count == 1 ? parts[0] : .all(parts)
    }

    /// Parses one operand. Each `not` and each parenthesis is a level, so that a hostile text cannot exhaust
    /// the stack.
    private mutating func factor(depth: Int) throws(ScriptProblem) -> ScriptCondition {
        if let current, depth >= ScriptLimits.nesting {
            throw ScriptProblem("a condition of more than \(ScriptLimits.nesting) levels", at: current.token)
        }
        if take("not") { return .not(try factor(depth: depth + 1)) }
        guard let open = current, open.sign == "(" else { return .comparison(try comparison()) }
        index += 1
        let inner = try disjunction(depth: depth + 1)
        guard let close = current else { throw ScriptProblem("there is no ')' for this '('", at: open.token) }
        guard close.sign == ")" else { throw unexpected(close) }
        index += 1
        return inner
    }

    // MARK: - Comparisons

    /// Parses one comparison. The first word is a field only if a relation follows it; otherwise the whole value is
    /// compared.
    private mutating func comparison() throws(ScriptProblem) -> ScriptComparison {
        guard let first = current else {
            throw ScriptProblem("missing condition", at: end, hint: "[FIELD] \(Self.allowed)")
        }
        guard index + 1 < tokens.count, Self.begins(tokens[index + 1]), !Self.begins(first), first.sign == nil else {
            return ScriptComparison(field: nil, relation: try relation(), place: first.token.place)
        }
        guard let field = first.token.bare, ScriptName.isPath(field), !Self.keywords.contains(field) else {
            throw ScriptProblem(
                "\(Prose.quoted(first.token.word.shown)) is not the name of a field",
                at: first.token,
                hint: "such as heart_rate_bpm, rssi or decoded.flags.contact"
            )
        }
        index += 1
        return ScriptComparison(field: field, relation: try relation(), place: first.token.place)
    }

    /// Whether a relation with its own sign or word begins here.
    private static func begins(_ token: ConditionToken) -> Bool {
        if let sign = token.sign { return signs.contains(sign) }
        return token.bare.map(relations.contains) ?? false
    }

    /// Parses a relation with its value. Without a word or a sign for it, a word means equality, and a range with
    /// dots membership.
    private mutating func relation() throws(ScriptProblem) -> ScriptRelation {
        guard let first = current else { throw ScriptProblem("missing condition", at: end, hint: Self.allowed) }
        if let sign = first.sign {
            guard Self.signs.contains(sign) else { throw unexpected(first) }
            index += 1
            return try relation(sign)
        }
        switch first.token.bare {
        case "is":
            index += 1
            let isNegated = take("not")
            if take("present") { return isNegated ? .absent : .present }
            if take("absent") { return isNegated ? .present : .absent }
            return isNegated ? .notEqual(try value()) : .equal(try value())
        case "in":
            index += 1
            return try range()
        case "matches":
            index += 1
            return .matches(try expression())
        case "contains":
            index += 1
            return .contains(try value())
        case "mask":
            index += 1
            let mask = try octets()
            guard take("is") else { throw missing("is", "mask 0x0F is 0x01") }
            return .mask(mask, is: try octets())
        case "length":
            index += 1
            return try length()
        case "present":
            index += 1
            return .present
        case "absent":
            index += 1
            return .absent
        default:
            return first.token.rangeBounds == nil ? .equal(try value()) : try range()
        }
    }

    private mutating func relation(_ sign: String) throws(ScriptProblem) -> ScriptRelation {
        switch sign {
        case "==": .equal(try value())
        case "!=": .notEqual(try value())
        case "<": .less(try number())
        case "<=": .lessOrEqual(try number())
        case ">": .greater(try number())
        default: .greaterOrEqual(try number())
        }
    }

    /// The problem that a word is missing, shown at the word that is there instead.
    private func missing(_ what: String, _ hint: String) -> ScriptProblem {
        guard let current else { return ScriptProblem("missing '\(what)'", at: end, hint: hint) }
        let found = Prose.quoted(current.token.word.shown)
        return ScriptProblem("missing '\(what)'; found \(found)", at: current.token, hint: hint)
    }

    /// Takes the next word as a value. Keywords and signs are refused unless they are quoted, so that a forgotten
    /// value does not swallow the rest of the condition.
    private mutating func word(_ what: String) throws(ScriptProblem) -> ScriptToken {
        guard let found = current else { throw ScriptProblem("missing \(what)", at: end) }
        if let sign = found.sign {
            if sign == "=" || sign == "!" { throw unexpected(found) }
            throw ScriptProblem("missing \(what); found '\(sign)'", at: found.token, hint: "signs of a text are quoted")
        }
        if let bare = found.token.bare, Self.keywords.contains(bare) {
            throw ScriptProblem(
                "missing \(what); found '\(bare)'",
                at: found.token,
                hint: "quoted, it is a text: '\(bare)'"
            )
        }
        // It comes here only after a sign: `==#a`. Printed with a blank before it, it would begin a comment.
        if found.token.pieces.first?.bare == "#" {
            throw ScriptProblem("a text that begins with '#' is quoted", at: found.token)
        }
        index += 1
        return found.token
    }

    /// Takes a text or a number that is compared for equality. A range that is not quoted is likely to be meant
    /// for `in`.
    private mutating func value() throws(ScriptProblem) -> ScriptWord {
        let token = try word("VALUE")
        if token.rangeBounds != nil {
            throw ScriptProblem("a range, where a value is expected", at: token, hint: "in A..B; quoted, it is a text")
        }
        return token.word
    }

    /// A regular expression. One without variables is checked.
    private mutating func expression() throws(ScriptProblem) -> ScriptWord {
        let start = current?.token
        let word = try value()
        guard let start, let text = word.literal else { return word }
        do throws(ValueProblem) {
            _ = try RegularExpression(text)
        } catch {
            throw ScriptProblem("\(Prose.quoted(text)): \(error.expectation)", at: start)
        }
        return word
    }

    /// Takes a number. A word with a variable is checked when the step runs.
    private mutating func number() throws(ScriptProblem) -> ScriptWord { try number(try word("NUMBER")) }

    private func number(_ token: ScriptToken) throws(ScriptProblem) -> ScriptWord {
        let word = token.word
        if let text = word.literal, !Self.isNumber(text) {
            throw ScriptProblem(
                "\(Prose.quoted(text)) is not a number",
                at: token,
                hint: "such as 72, -60, 1.5 or 0x0F"
            )
        }
        return word
    }

    private static func isNumber(_ text: String) -> Bool {
        let digits = text.first == "-" || text.first == "+" ? text.dropFirst() : text[...]
        if digits.hasPrefix("0x") { return UInt128(hexDigits: digits.dropFirst(2)) != nil }
        return digits.utf8.allSatisfy { ".0123456789".utf8.contains($0) } && Double(digits) != nil
    }

    /// Takes the octets of a mask in hexadecimal digits, or a number as a mask for a number.
    private mutating func octets() throws(ScriptProblem) -> ScriptWord {
        let token = try word("OCTETS")
        if let text = token.word.literal, !Self.isNumber(text), Hex.bytes(text) == nil {
            throw ScriptProblem(
                "\(Prose.quoted(text)) is not a sequence of octets",
                at: token,
                hint: "in hexadecimal, such as 0x0F"
            )
        }
        return token.word
    }

    /// Parses a range. Exchanged ends are refused if both are known, because no number could be in the range.
    private mutating func range() throws(ScriptProblem) -> ScriptRelation {
        let token = try word("RANGE")
        guard let (lower, upper) = token.rangeBounds, lower != nil || upper != nil else {
            throw ScriptProblem("\(Prose.quoted(token.word.shown)) is not a range", at: token, hint: "A..B, A.. or ..B")
        }
        let bounds = (
            try lower.map { token throws(ScriptProblem) in try number(token) },
            try upper.map { token throws(ScriptProblem) in try number(token) }
        )
        if let low = bounds.0?.literal, let high = bounds.1?.literal, let low = Double(low), let high = Double(high),
            low > high
        {
            throw ScriptProblem("the range is empty: its ends are in the wrong order", at: token)
        }
        return .range(lower: bounds.0, upper: bounds.1)
    }

    /// Takes a length or a range of lengths, to which both ends belong.
    private mutating func length() throws(ScriptProblem) -> ScriptRelation {
        let token = try word("LENGTH")
        guard let (lower, upper) = CountRange.bounds(token) else {
            throw ScriptProblem(
                "\(Prose.quoted(token.word.shown)) is not a number of octets",
                at: token,
                hint: "length N, A..B, A.. or ..B"
            )
        }
        return .length(lower: lower, upper: upper)
    }
}

/// A number of things, or a range of numbers: `3`, `3..5`, `3..`, `..5`.
enum CountRange {
    package static let largest = 1_000_000

    /// The smallest and the largest number of a word, the latter `nil` for no bound. `nil` if the word is
    /// neither a number nor a range, or if a variable is in it.
    package static func bounds(_ token: ScriptToken) -> (lower: Int, upper: Int?)? {
        guard let (lower, upper) = token.rangeBounds else { return token.bare.flatMap(number).map { ($0, $0) } }
        guard lower != nil || upper != nil else { return nil }
        // An end that is present but not a number makes the word invalid. Without a lower end, the range begins at 0.
        let least = lower.map { $0.bare.flatMap(number) } ?? 0
        let most = upper.map { $0.bare.flatMap(number) }
        guard let least, most != .some(nil) else { return nil }
        if let most = most ?? nil, most < least { return nil }
        return (least, most ?? nil)
    }

    /// A whole number up to the largest one; `nil` for another text.
    package static func number(_ text: String) -> Int? {
        // `Int` also reads a sign.
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text), number <= largest else {
            return nil
        }
        return number
    }
}
