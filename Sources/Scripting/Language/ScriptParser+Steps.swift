// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Terminal

/// The steps with keywords of their own.
extension ScriptParser {
    /// Parses a step that only scripts have.
    package mutating func step(_ keyword: ScriptKeyword, _ statement: ScriptStatement) throws(ScriptProblem)
        -> ScriptStep
    {
        let clauses = try ScriptClauses(statement, at: keyword.clauses)
        let words = clauses.action
        let action: ScriptAction
        switch keyword {
        case .set: action = try set(statement)
        case .connect:
            try refuse(words.dropFirst(), keyword)
            action = .connect(device: try device(words.first, statement))
        case .disconnect:
            try refuse(words.dropFirst(), keyword)
            action = .disconnect(device: try device(words.first, statement))
        case .await: action = try awaitStep(clauses, statement)
        case .never:
            let stream = try stream(words, statement, keyword)
            try refuse(words.dropFirst(), keyword)
            let condition = try clauses.condition("where")
            action = .never(stream: stream, where: condition, for: try time("for", clauses, statement, keyword))
        case .count: action = try countStep(clauses, statement)
        case .order: action = try order(words, statement)
        case .stop:
            try refuse(words.dropFirst(), keyword)
            action = .stop(stream: try stream(words, statement, keyword))
        case .expect:
            guard let value = words.first else { throw missing("VALUE", statement, keyword) }
            let condition = try ConditionParser.condition(words.dropFirst(), after: value)
            // A text that is the same in each run compares nothing, and may pass.
            if let name = value.bare, variables.contains(name) {
                throw ScriptProblem(
                    "'\(name)' is a text here, and not the variable",
                    at: value,
                    hint: "expect ${\(name)}"
                )
            }
            action = .expect(value.word, condition)
        case .check: action = try checkStep(words, statement)
        case .pause: action = .pause(try duration(words, after: statement.head))
        // `ScriptParser.take` handles these before a step is parsed.
        case .language, .device, .include, .test, .cleanup, .repeat, .for, .end, .world:
            throw ScriptProblem("'\(keyword.rawValue)' is not a step", at: statement.head)
        }
        let name = try clauses["as"].map { clause throws(ScriptProblem) in try onlyName(clause) }
        let (limit, expectations) = (try limit(clauses), try results(clauses, keyword))
        if let name { assign(name, nil) }
        if let (stream, conditions) = action.awaited, let index = streamCommands[stream] {
            let results = expectations.compactMap { if case .result(let condition) = $0 { condition } else { nil } }
            commands[index].conditions += conditions + results
        }
        return ScriptStep(
            action: action,
            name: name,
            limit: limit,
            expectations: expectations,
            text: statement.text,
            place: statement.head.place
        )
    }

    /// Parses `await STREAM [COUNT]`.
    private func awaitStep(_ clauses: ScriptClauses, _ statement: ScriptStatement) throws(ScriptProblem) -> ScriptAction
    {
        let words = clauses.action
        let stream = try stream(words, statement, .await)
        var count = 1
        if let token = words.dropFirst().first {
            guard let number = CountRange.number(try fixed(token)), number > 0 else {
                throw ScriptProblem(
                    "\(Prose.quoted(token.word.shown)) is not a number",
                    at: token,
                    hint: ScriptKeyword.await.form
                )
            }
            count = number
        }
        try refuse(words.dropFirst(2), .await)
        return .await(stream: stream, count: count, where: try clauses.condition("where"))
    }

    /// Parses `count STREAM RANGE`.
    private func countStep(_ clauses: ScriptClauses, _ statement: ScriptStatement) throws(ScriptProblem) -> ScriptAction
    {
        let words = clauses.action
        let stream = try stream(words, statement, .count)
        guard let token = words.dropFirst().first else { throw missing("RANGE", statement, .count) }
        guard let (least, most) = CountRange.bounds(token) else {
            throw ScriptProblem(
                "\(Prose.quoted(token.word.shown)) is not a range of numbers",
                at: token,
                hint: "N, A..B, A.. or ..B"
            )
        }
        try refuse(words.dropFirst(2), .count)
        return .count(
            stream: stream,
            atLeast: least,
            atMost: most,
            where: try clauses.condition("where"),
            for: try time("for", clauses, statement, .count)
        )
    }

    /// Parses `check [DEVICE] CONDITION`. The first word may be the name of a field already.
    private mutating func checkStep(
        _ words: ArraySlice<ScriptToken>,
        _ statement: ScriptStatement
    ) throws(ScriptProblem) -> ScriptAction {
        let named = words.first.flatMap(\.bare).flatMap { deviceSet.contains($0) ? $0 : nil }
        let device = try device(named == nil ? nil : words.first, statement)
        let rest = named == nil ? words : words.dropFirst()
        let condition = try ConditionParser.condition(rest, after: statement.head)
        // A link has fields, and no value of its own: nothing would be compared, and after 'not' that would pass.
        if let place = condition.placeWithoutField {
            throw ScriptProblem(
                "'check' compares fields of the link, and this comparison names none",
                at: place,
                hint: "FIELD RELATION, such as mtu >= 23, connected is true or not encrypted is true"
            )
        }
        return .check(device: device, condition)
    }

    /// Parses `set NAME VALUE`. The value is one word, so that missing quotes are noticed.
    private mutating func set(_ statement: ScriptStatement) throws(ScriptProblem) -> ScriptAction {
        guard let token = statement.rest.first else { throw missing("NAME", statement, .set) }
        let name = try assignedName(token)
        guard let value = statement.rest.dropFirst().first else { throw missing("VALUE", statement, .set) }
        if statement.rest.count > 2 {
            throw ScriptProblem(
                "a value of several words is quoted",
                at: statement.tokens[3],
                hint: "set NAME \"VALUE\""
            )
        }
        // A definition of the command line takes precedence over the script's, so that a script's values are defaults.
        if known.definitions[name] == nil { assign(name, value.word.text(known.value)) }
        return .set(name, value.word)
    }

    /// Parses the conditions of `order`, which are separated by `then`; fewer than two would order nothing.
    private func order(
        _ words: ArraySlice<ScriptToken>,
        _ statement: ScriptStatement
    ) throws(ScriptProblem) -> ScriptAction {
        let stream = try stream(words, statement, .order)
        var conditions: [ScriptCondition] = []
        var previous = words.first ?? statement.head
        var part = words.dropFirst()
        while let then = part.firstIndex(where: { $0.bare == "then" }) {
            conditions.append(try ConditionParser.condition(part[..<then], after: previous))
            previous = part[then]
            part = part[(then + 1)...]
        }
        conditions.append(try ConditionParser.condition(part, after: previous))
        guard conditions.count > 1 else { throw missing("'then'", statement, .order) }
        return .order(stream: stream, conditions)
    }

    /// The expectations of a step whose results are records.
    private func results(
        _ clauses: ScriptClauses,
        _ keyword: ScriptKeyword
    ) throws(ScriptProblem) -> [ScriptExpectation] {
        // The condition of `expect` is its action, and not a clause.
        guard keyword != .expect else { return [] }
        var expectations: [ScriptExpectation] = []
        for clause in clauses.clauses where clause.name == "expect" {
            let expectation = try ExpectationParser.expectation(clause)
            switch expectation {
            case .result, .jitter: break
            case .error, .silence, .status:
                throw ScriptProblem("'\(keyword.rawValue)' has no error of a device to expect", at: clause.keyword)
            }
            expectations.append(expectation)
        }
        return expectations
    }

    // MARK: - Parts of steps

    /// The declared device of a step: the named one, or the only one.
    private func device(_ token: ScriptToken?, _ statement: ScriptStatement) throws(ScriptProblem) -> String? {
        guard !deviceNames.isEmpty else {
            throw ScriptProblem("no device is declared", at: statement.head, hint: ScriptKeyword.device.form)
        }
        guard let token else {
            if deviceNames.count == 1 { return deviceNames[0] }
            throw ScriptProblem(
                "the device is not named, and there are several",
                at: statement.head.end,
                hint: Prose.list(deviceNames)
            )
        }
        if let name = token.bare, deviceSet.contains(name) { return name }
        let similar = Suggestion.closest(to: token.word.shown, among: deviceNames)
        throw ScriptProblem(
            "no device \(Prose.quoted(token.word.shown)) is declared"
                + (similar.map { "; did you mean '\($0)'?" } ?? ""),
            at: token,
            hint: "there is \(Prose.list(deviceNames, "and"))"
        )
    }

    /// The name of a stream that an earlier step has begun. A variable without a stream gets a separate message,
    /// because the name is right and only its use is wrong.
    private func stream(
        _ words: ArraySlice<ScriptToken>,
        _ statement: ScriptStatement,
        _ keyword: ScriptKeyword
    ) throws(ScriptProblem) -> String {
        guard let token = words.first else { throw missing("STREAM", statement, keyword) }
        let name = try newName(token)
        if streams.contains(name) { return name }
        if variables.contains(name) {
            throw ScriptProblem(
                "'\(name)' is not a stream",
                at: token,
                hint: "notify, watch and scan with 'as NAME' are streams"
            )
        }
        let similar = Suggestion.closest(to: name, among: streams.sorted())
        throw ScriptProblem(
            "no step before is the stream \(Prose.quoted(name))" + (similar.map { "; did you mean '\($0)'?" } ?? ""),
            at: token,
            hint: "notify TARGET as \(name)"
        )
    }

    /// The limit of `within`; `nil` if there is none.
    package func limit(_ clauses: ScriptClauses) throws(ScriptProblem) -> Duration? {
        guard let clause = clauses["within"] else { return nil }
        return try duration(clause.words, after: clause.keyword)
    }

    /// The time of a clause that has to be there.
    private func time(
        _ name: String,
        _ clauses: ScriptClauses,
        _ statement: ScriptStatement,
        _ keyword: ScriptKeyword
    ) throws(ScriptProblem) -> Duration {
        guard let clause = clauses[name] else { throw missing("'\(name) TIME'", statement, keyword) }
        return try duration(clause.words, after: clause.keyword)
    }

    /// A time in one word or in two: `5s`, `5 s`.
    private func duration(
        _ words: ArraySlice<ScriptToken>,
        after keyword: ScriptToken
    ) throws(ScriptProblem) -> Duration {
        guard let first = words.first else {
            throw ScriptProblem("missing TIME", at: keyword.end, hint: "such as 5 s or 200 ms")
        }
        var text = try fixed(first)
        var rest = words.dropFirst()
        if let unit = rest.first?.bare, DurationSyntax.unitNames.contains(unit) {
            text += unit
            rest = rest.dropFirst()
        }
        if let extra = rest.first {
            throw ScriptProblem(
                "unexpected \(Prose.quoted(extra.word.shown)) after a time",
                at: extra,
                hint: ScriptCommand.hint(forOption: extra)
            )
        }
        do throws(ValueProblem) {
            return try DurationSyntax.parse(text)
        } catch {
            throw ScriptProblem("\(Prose.quoted(text)) is not a time: \(error.expectation)", at: first)
        }
    }
}
