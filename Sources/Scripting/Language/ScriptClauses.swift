// SPDX-License-Identifier: GPL-2.0-or-later

/// A statement, split into the action and the clauses after it.
struct ScriptClauses {
    /// A clause: its keyword, and the words up to the next one.
    struct Clause {
        let keyword: ScriptToken
        package let name: String
        package let words: ArraySlice<ScriptToken>
    }

    /// The words of the action, without the first one of the statement.
    package let action: ArraySlice<ScriptToken>
    let clauses: [Clause]

    /// Splits at the keywords of the clauses, only one of which, `expect`, may occur several times.
    init(_ statement: ScriptStatement, at keywords: Set<String>) throws(ScriptProblem) {
        let tokens = statement.rest
        let starts = tokens.indices.filter { index in tokens[index].bare.map(keywords.contains) ?? false }
        action = tokens[..<(starts.first ?? tokens.endIndex)]
        var clauses: [Clause] = []
        for (number, start) in starts.enumerated() {
            let end = number + 1 < starts.count ? starts[number + 1] : tokens.endIndex
            let name = tokens[start].bare ?? ""
            // Several expectations are all checked. A second name or limit could only contradict the first one.
            if name != "expect", clauses.contains(where: { $0.name == name }) {
                throw ScriptProblem("a second '\(name)'", at: tokens[start])
            }
            clauses.append(Clause(keyword: tokens[start], name: name, words: tokens[(start + 1)..<end]))
        }
        self.clauses = clauses
    }

    /// The first clause of that name. Only `expect` can have others.
    subscript(name: String) -> Clause? { clauses.first { $0.name == name } }

    /// The condition of a clause; `nil` if the clause is not there.
    func condition(_ name: String) throws(ScriptProblem) -> ScriptCondition? {
        guard let clause = self[name] else { return nil }
        return try ConditionParser.condition(clause.words, after: clause.keyword)
    }
}
