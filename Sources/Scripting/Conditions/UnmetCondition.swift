// SPDX-License-Identifier: GPL-2.0-or-later

import Terminal

/// Why a condition is not met, for a person.
struct UnmetCondition: Sendable, Equatable {
    /// The expectation in the words of the script: `battery_level in 20..100`.
    package var expected: String
    /// The actual value: `battery_level_percent is 7`.
    var got: String
    /// A further explanation: the fields of the record, or why the comparison is not possible.
    package var note: String?
}

extension ScriptCondition {
    /// The condition as it is typed.
    ///
    /// - Parameter words: The text of a word, with its variables replaced.
    package func text(_ words: (ScriptWord) -> String) -> String {
        switch self {
        case .comparison(let comparison): comparison.text(words)
        case .all(let parts): parts.map { $0.nestedText(words) }.joined(separator: " and ")
        case .any(let parts): parts.map { $0.nestedText(words) }.joined(separator: " or ")
        case .not(let inner): "not \(inner.nestedText(words))"
        }
    }

    private func nestedText(_ words: (ScriptWord) -> String) -> String {
        switch self {
        case .comparison: text(words)
        case .all, .any, .not: "(\(text(words)))"
        }
    }
}

extension ScriptComparison {
    fileprivate func text(_ words: (ScriptWord) -> String) -> String {
        let relation = relation.text(words)
        return field.map { "\($0) \(relation)" } ?? relation
    }
}

extension ScriptRelation {
    /// The relation as it is typed.
    package func text(_ words: (ScriptWord) -> String) -> String {
        func shown(_ word: ScriptWord?) -> String {
            guard let word else { return "" }
            let text = words(word)
            return word.isQuoted || text.isEmpty || text.contains(" ") ? Prose.quoted(text) : TerminalText.escaped(text)
        }
        return switch self {
        case .equal(let word): "is \(shown(word))"
        case .notEqual(let word): "is not \(shown(word))"
        case .less(let word): "< \(shown(word))"
        case .lessOrEqual(let word): "<= \(shown(word))"
        case .greater(let word): "> \(shown(word))"
        case .greaterOrEqual(let word): ">= \(shown(word))"
        case .range(let lower, let upper): "in \(shown(lower))..\(shown(upper))"
        case .matches(let word): "matches \(Prose.quoted(words(word)))"
        case .contains(let word): "contains \(shown(word))"
        case .mask(let mask, is: let word): "mask \(shown(mask)) is \(shown(word))"
        case .length(let lower, let upper):
            upper == lower ? "length \(lower)" : "length \(lower)..\(upper.map { "\($0)" } ?? "")"
        case .present: "present"
        case .absent: "absent"
        }
    }
}
