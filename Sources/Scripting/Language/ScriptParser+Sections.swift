// SPDX-License-Identifier: GPL-2.0-or-later

import Terminal
import Toolkit

/// The statements that order steps: devices, tests, cleanup and repetitions.
extension ScriptParser {
    /// `device NAME [DEVICE-OPTION]...`
    mutating func takeDevice(_ statement: ScriptStatement) throws(ScriptProblem) {
        try refuseBlock(statement)
        guard section == .setup || section == .afterTests else {
            throw ScriptProblem("devices are declared before the first test", at: statement.head)
        }
        guard !hasStepWithoutDevice else {
            throw ScriptProblem(
                "an earlier step already connects to a device",
                at: statement.head,
                hint: "declare devices first"
            )
        }
        guard let token = statement.rest.first else { throw missing("NAME", statement, .device) }
        let name = try newName(token)
        // A word that could be an address would be ambiguous as the name of a device.
        guard case .name? = try? DeviceIdentifier(name) else {
            throw ScriptProblem(
                "the name of a device must not be an address",
                at: token,
                hint: "device NAME -d \(name)"
            )
        }
        if deviceSet.contains(name), let other = script.devices.first(where: { $0.name == name }) {
            throw ScriptProblem("the device '\(name)' is declared already, at \(other.place.text)", at: token)
        }
        let words = Array(statement.rest.dropFirst())
        script.devices.append(ScriptDevice(name: name, options: words.map(\.word), place: statement.head.place))
        deviceNames.append(name)
        deviceSet.insert(name)
        commands.append(CommandCheck(.deviceOptions, statement, words, last: statement.rest.last, of: known.commands))
    }

    /// `test NAME`
    mutating func takeTest(_ statement: ScriptStatement) throws(ScriptProblem) {
        try refuseBlock(statement)
        // The test begins even if its name has a fault, so that its steps belong to a test.
        section = .test
        script.tests.append(ScriptTest(name: statement.text, place: statement.head.place))
        guard let token = statement.rest.first else { throw missing("NAME", statement, .test) }
        if statement.rest.count > 1 {
            throw ScriptProblem("a name of several words is quoted", at: statement.tokens[2], hint: "test \"NAME\"")
        }
        let name = try fixed(token)
        guard !name.isEmpty else { throw ScriptProblem("the name is empty", at: token) }
        if let other = script.tests.first(where: { $0.name == name }) {
            throw ScriptProblem("there is a test \(Prose.quoted(name)) already, at \(other.place.text)", at: token)
        }
        script.tests[script.tests.count - 1].name = name
    }

    /// `cleanup`, or `cleanup all`
    mutating func takeCleanup(_ statement: ScriptStatement) throws(ScriptProblem) {
        try refuseBlock(statement)
        if let word = statement.rest.first {
            guard word.bare == "all", statement.rest.count == 1 else {
                throw ScriptProblem(
                    "unexpected \(Prose.quoted(word.word.shown))",
                    at: word,
                    hint: ScriptKeyword.cleanup.form
                )
            }
            section = .finalCleanup
            return
        }
        guard section == .test else {
            throw ScriptProblem(
                section == .cleanup ? "the test has a cleanup already" : "'cleanup' belongs to a test",
                at: statement.head,
                hint: "'cleanup all' begins the steps at the end of the script"
            )
        }
        section = .cleanup
    }

    /// Begins a block. Without it, its end would be a further fault.
    private mutating func beginBlock(_ statement: ScriptStatement) throws(ScriptProblem) {
        blocks.append(Block(count: 1, statement: statement))
        // The counting of steps and the plan of `--dry-run` recurse as deep as blocks are nested.
        guard blocks.count <= ScriptLimits.nesting else {
            throw ScriptProblem("more than \(ScriptLimits.nesting) nested blocks", at: statement.head)
        }
    }

    /// `for NAME in VALUE...`
    mutating func takeFor(_ statement: ScriptStatement) throws(ScriptProblem) {
        try beginBlock(statement)
        guard let token = statement.rest.first else { throw missing("NAME", statement, .for) }
        let name = try assignedName(token)
        let rest = statement.rest.dropFirst()
        guard rest.first?.bare == "in" else { throw missing("'in'", statement, .for) }
        let values = rest.dropFirst().map(\.word)
        guard !values.isEmpty else { throw missing("VALUE", statement, .for) }
        blocks[blocks.count - 1].count = values.count
        blocks[blocks.count - 1].variable = name
        blocks[blocks.count - 1].values = values
        assign(name, nil)
    }

    /// `repeat NUMBER [as NAME]`
    mutating func takeRepeat(_ statement: ScriptStatement) throws(ScriptProblem) {
        try beginBlock(statement)
        let clauses = try ScriptClauses(statement, at: ScriptKeyword.repeat.clauses)
        guard let token = clauses.action.first else { throw missing("NUMBER", statement, .repeat) }
        try refuse(clauses.action.dropFirst(), .repeat)
        guard let count = CountRange.number(try fixed(token)), count > 0 else {
            throw ScriptProblem(
                "\(Prose.quoted(token.word.shown)) is not a number of rounds",
                at: token,
                hint: "a whole number from 1 to \(CountRange.largest)"
            )
        }
        blocks[blocks.count - 1].count = count
        if let clause = clauses["as"] {
            let name = try onlyName(clause)
            blocks[blocks.count - 1].variable = name
            // Each round gives the variable another value.
            assign(name, nil)
        }
    }

    mutating func takeEnd(_ statement: ScriptStatement) throws(ScriptProblem) {
        // An `end` cannot close a block of the file that includes this one.
        guard blocks.count > outerBlocks, let block = blocks.popLast() else {
            throw ScriptProblem("there is no 'repeat' or 'for' for this 'end'", at: statement.head)
        }
        try refuse(statement.rest, .end)
        guard !block.steps.isEmpty else {
            // Another problem may be the reason why the block is empty.
            if problems.isEmpty { throw ScriptProblem("nothing is repeated", at: block.statement.head) }
            return
        }
        let step = ScriptStep(
            action: .repeat(block.count, variable: block.variable, block.steps),
            values: block.values,
            text: block.statement.text,
            place: block.statement.head.place
        )
        try add(step, block.statement)
    }

    func refuseBlock(_ statement: ScriptStatement) throws(ScriptProblem) {
        guard let block = blocks.last else { return }
        let word = statement.head.bare ?? ""
        throw ScriptProblem(
            "'\(word)' within a repetition",
            at: statement.head,
            hint:
                "the '\(block.statement.head.bare ?? "repeat")' of line \(block.statement.head.place.line) needs an 'end' before"
        )
    }

    /// The problem that a statement ends before a word that it needs.
    package func missing(_ what: String, _ statement: ScriptStatement, _ keyword: ScriptKeyword) -> ScriptProblem {
        ScriptProblem("missing \(what)", at: statement.end, hint: keyword.form)
    }

    package func refuse(_ words: ArraySlice<ScriptToken>, _ keyword: ScriptKeyword) throws(ScriptProblem) {
        guard let word = words.first else { return }
        throw ScriptProblem("unexpected \(Prose.quoted(word.word.shown))", at: word, hint: keyword.form)
    }

    func onlyName(_ clause: ScriptClauses.Clause) throws(ScriptProblem) -> String {
        guard let token = clause.words.first else {
            throw ScriptProblem("missing NAME", at: clause.keyword.end, hint: "as NAME")
        }
        if let extra = clause.words.dropFirst().first {
            throw ScriptProblem(
                "unexpected \(Prose.quoted(extra.word.shown))",
                at: extra,
                hint: ScriptCommand.hint(forOption: extra) ?? "as NAME"
            )
        }
        return try assignedName(token)
    }
}
