// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import CommandLineInterface
import Terminal

/// Reads the expectations of a step: `expect error 0x80`, `expect status 75`, `expect silence`, `expect jitter < 20`,
/// `expect CONDITION`.
enum ExpectationParser {
    /// Parses the words after `expect`.
    package static func expectation(_ clause: ScriptClauses.Clause) throws(ScriptProblem) -> ScriptExpectation {
        let words = clause.words
        // A field may have the name 'error' or 'status'; then a relation follows.
        let second = words.dropFirst().first
        let isField = second.flatMap { ConditionToken.split([$0]).first }.map { token in
            token.sign != nil || token.bare.map(ConditionParser.relations.contains) ?? false
        }
        switch words.first?.bare {
        case "error" where isField != true:
            try refuse(words.dropFirst(2))
            return .error(try second.map { token throws(ScriptProblem) in try code(token) })
        case "status" where isField != true:
            try refuse(words.dropFirst(2))
            guard let second else {
                throw ScriptProblem(
                    "missing STATUS",
                    at: clause.keyword.end,
                    hint: "a number or a name such as not-found"
                )
            }
            return .status(try status(second))
        case "silence" where isField != true:
            try refuse(words.dropFirst())
            return .silence
        default: break
        }
        let condition = try ConditionParser.condition(words, after: clause.keyword)
        let fields = condition.fields
        guard fields.contains(where: Jitter.names.contains) else { return .result(condition) }
        // It is of all results together, and other fields are of each.
        guard fields.allSatisfy(Jitter.names.contains), condition.placeWithoutField == nil else {
            throw ScriptProblem("'jitter' has an 'expect' of its own", at: words.first ?? clause.keyword)
        }
        return .jitter(condition)
    }

    private static func refuse(_ words: ArraySlice<ScriptToken>) throws(ScriptProblem) {
        guard let first = words.first else { return }
        throw ScriptProblem("unexpected \(Prose.quoted(first.word.shown))", at: first)
    }

    private static func code(_ token: ScriptToken) throws(ScriptProblem) -> UInt8 {
        let text = token.word.literal ?? ""
        if text.hasPrefix("0x"), let code = UInt8(hexDigits: text.dropFirst(2)), code > 0 { return code }
        // Code 0 is not an ATT error.
        let names = (1...UInt8.max).compactMap { code in name(code).map { (name: $0, code: code) } }
        if let named = names.first(where: { $0.name == text.lowercased() }) { return named.code }
        let similar = Suggestion.closest(to: text.lowercased(), among: names.map(\.name))
        throw ScriptProblem(
            "\(Prose.quoted(token.word.shown)) is not an ATT error" + (similar.map { "; did you mean '\($0)'?" } ?? ""),
            at: token,
            hint: "a code such as 0x80, or a name such as write-not-permitted; alone, 'error' is any ATT error"
        )
    }

    /// The specification's name of an error, with dashes between its words.
    package static func name(_ code: UInt8) -> String? {
        ATTErrorCode(rawValue: code).name?.lowercased().split(separator: " ").joined(separator: "-")
    }

    /// An exit status by its number, or by the name that it has in records.
    private static func status(_ token: ScriptToken) throws(ScriptProblem) -> Int32 {
        let text = token.word.literal ?? ""
        // 255 is the largest status of a process.
        if let number = CountRange.number(text), number <= 255 { return Int32(number) }
        if let named = ExitStatus.allCases.first(where: { $0.name == text }) { return named.rawValue }
        let similar = Suggestion.closest(to: text, among: ExitStatus.allCases.map(\.name))
        throw ScriptProblem(
            "\(Prose.quoted(token.word.shown)) is not an exit status"
                + (similar.map { "; did you mean '\($0)'?" } ?? ""),
            at: token,
            hint: "a number from 0 to 255, or a name such as not-found"
        )
    }
}
