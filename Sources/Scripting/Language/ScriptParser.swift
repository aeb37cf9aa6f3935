// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Terminal
import Toolkit

/// Reads the statements of a script, one after the other, and collects their faults.
struct ScriptParser {
    /// The part of the script to which steps belong.
    package enum Section: Equatable {
        case setup, test, cleanup, finalCleanup
        /// After an included file that has tests.
        case afterTests
    }

    /// A `repeat` that is not closed yet.
    struct Block {
        /// The number of rounds, from 1.
        package var count: Int
        /// The name of the variable that has the number of the round; `nil` for none.
        package var variable: String?
        /// The values of the variable; empty for the number of the round.
        var values: [ScriptWord] = []
        /// The steps so far. A closed inner block is one of them.
        package var steps: [ScriptStep] = []
        /// The statement that began the block, for the message that its `end` is missing.
        var statement: ScriptStatement
    }

    /// The names of streams, and of all variables.
    package struct Names {
        package var streams: Set<String> = []
        package var variables: Set<String> = []
    }

    package let known: ScriptConstants
    /// The script so far. It is valid only if no problem was found at the end.
    package var script: Script
    /// The names of the declared devices, in order. Kept beside the script, because each step looks at them.
    package var deviceNames: [String] = []
    var deviceSet: Set<String> = []
    package var section = Section.setup
    /// The open blocks, the outermost first.
    package var blocks: [Block] = []
    /// The faults in the order in which they were found, which may not be that of the text.
    package var problems: [ScriptProblem] = []
    /// The number of open blocks that belong to including files.
    var outerBlocks = 0
    private var given: Names
    /// The names that were given by the steps of the final cleanup. No other step sees them.
    private var givenAtEnd = Names()
    /// Whether an earlier step finds a device without a declaration.
    var hasStepWithoutDevice = false
    /// The variables that have one value: those that are set once, to a value that is known.
    package var values: [String: String?] = [:]
    /// The names of the variables that the text uses or sets, in whatever statement.
    private(set) var mentionedVariables: Set<String> = []
    /// The commands that remain to be checked when all variables are known.
    package var commands: [CommandCheck] = []
    /// The command that began each stream last, by its place among them.
    var streamCommands: [String: Int] = [:]
    /// The number of statements so far, with those of included files.
    private var statementCount = 0

    init(_ name: String, known: ScriptConstants) {
        self.known = known
        script = Script(name: name)
        given = Names(variables: Set(known.definitions.keys))
    }

    /// The names of streams that a step can refer to.
    package var streams: Set<String> {
        section == .finalCleanup ? given.streams.union(givenAtEnd.streams) : given.streams
    }
    /// The names of variables, to which those of streams belong.
    package var variables: Set<String> {
        section == .finalCleanup ? given.variables.union(givenAtEnd.variables) : given.variables
    }

    /// Whether so many faults were found that reading ends.
    var isHopeless: Bool { problems.count >= ScriptLimits.problems }

    /// Reads a statement of any kind but `include`.
    package mutating func read(_ statement: ScriptStatement) {
        statementCount += 1
        guard statementCount <= ScriptLimits.statements else {
            // One problem for all statements after the limit, and not one for each.
            if statementCount == ScriptLimits.statements + 1 {
                problems.append(ScriptProblem("more than \(ScriptLimits.statements) statements", at: statement.head))
            }
            return
        }
        do throws(ScriptProblem) {
            // Before the statement is taken, because it may set a variable that it uses itself.
            try checkVariables(statement)
        } catch {
            problems.append(error)
            learnNames(statement)
            // Its block begins nevertheless, so that the end of the block is not a further fault.
            if statement.beginsBlock {
                blocks.append(Block(count: 1, statement: statement))
            }
            return
        }
        do throws(ScriptProblem) {
            try take(statement)
        } catch {
            problems.append(error)
            learnNames(statement)
        }
    }

    /// Takes a statement. A keyword goes before a command of the same name.
    private mutating func take(_ statement: ScriptStatement) throws(ScriptProblem) {
        guard let word = statement.head.bare else {
            throw ScriptProblem("a statement begins with a keyword or a command, not quoted", at: statement.head)
        }
        if let keyword = ScriptKeyword(rawValue: word) {
            switch keyword {
            case .language: throw ScriptProblem("'language' stands before all other statements", at: statement.head)
            // `ScriptReader` takes `include` in any place, because only it can load a file.
            case .include: throw ScriptProblem("'include' is not allowed here", at: statement.head)
            case .device: try takeDevice(statement)
            case .test: try takeTest(statement)
            case .cleanup: try takeCleanup(statement)
            case .repeat: try takeRepeat(statement)
            case .for: try takeFor(statement)
            case .end: try takeEnd(statement)
            case .world:
                guard let command = known.commands.table.names.first(where: { $0.type.stepWord == word }) else {
                    throw unknown(word, statement)
                }
                try add(step(command, statement), statement)
            default: try add(step(keyword, statement), statement)
            }
        } else if let command = known.commands.table.name(word) {
            if let refusal = ScriptCommand.refusal(command) {
                throw ScriptProblem("'\(word)' is not a step: \(refusal)", at: statement.head)
            }
            try add(step(command, statement), statement)
        } else {
            throw unknown(word, statement)
        }
    }

    /// The problem of an unknown statement. Words of other test languages get their counterpart here; other words,
    /// the most similar one.
    private func unknown(_ word: String, _ statement: ScriptStatement) -> ScriptProblem {
        let words = ScriptKeyword.allCases.map(\.rawValue) + ScriptCommand.all(of: known.commands.table).map(\.rawValue)
        let similar =
            switch word {
            case "sleep", "wait", "delay": "pause"
            case "assert", "require": "expect"
            case "subscribe": "notify"
            case "loop", "while": "repeat"
            case "foreach": "for"
            case "let", "var": "set"
            case "source", "import": "include"
            default: Suggestion.closest(to: word, among: words)
            }
        return ScriptProblem(
            "unknown statement \(Prose.quoted(word))" + (similar.map { "; did you mean '\($0)'?" } ?? ""),
            at: statement.head,
            hint: "statements: \(ScriptKeyword.allCases.map(\.rawValue).joined(separator: ", ")); "
                + "commands: \(ScriptCommand.all(of: known.commands.table).map(\.rawValue).joined(separator: ", "))"
        )
    }

    /// Records the names that a faulty statement would define, so that their uses are not further faults.
    private mutating func learnNames(_ statement: ScriptStatement) {
        let tokens = statement.tokens
        if ["set", "for"].contains(statement.head.bare), tokens.count > 1, let name = tokens[1].bare {
            assign(name, nil)
        }
        guard let index = tokens.firstIndex(where: { $0.bare == "as" }), index + 1 < tokens.count,
            let name = tokens[index + 1].bare
        else { return }
        assign(name, nil)
        // Whether the statement was meant to begin a stream is not known. As both, no later use of the name is a fault.
        addStream(name)
    }

    // MARK: - Names

    /// Takes note of the variables that a statement uses or sets, so that a definition which no script knows is found.
    mutating func mentionVariables(of statement: ScriptStatement) {
        let tokens = statement.tokens
        for token in tokens {
            for piece in token.pieces {
                if case .variable(.variable(let name, _)) = piece.content { mentionedVariables.insert(name) }
            }
        }
        if statement.head.bare == ScriptKeyword.set.rawValue, tokens.count > 1, let name = tokens[1].bare {
            mentionedVariables.insert(name)
        }
        if let index = tokens.firstIndex(where: { $0.bare == "as" }), index + 1 < tokens.count,
            let name = tokens[index + 1].bare
        {
            mentionedVariables.insert(name)
        }
    }

    /// Throws for a variable that nothing before has set, or an environment variable that does not exist.
    private func checkVariables(_ statement: ScriptStatement) throws(ScriptProblem) {
        for token in statement.tokens {
            for (index, piece) in token.pieces.enumerated() {
                guard case .variable(let part) = piece.content else { continue }
                let place = token.part(index..<(index + 1))
                switch part {
                case .literal: continue
                case .environment(let name) where known.environment[name] == nil:
                    throw ScriptProblem("there is no environment variable \(Prose.quoted(name))", at: place)
                case .environment: continue
                case .variable(let name, _) where !variables.contains(name):
                    let similar = Suggestion.closest(to: name, among: variables.sorted())
                    throw ScriptProblem(
                        "nothing has set the variable \(Prose.quoted(name))"
                            + (similar.map { "; did you mean '\($0)'?" } ?? ""),
                        at: place,
                        hint: "set \(name) VALUE, a step with 'as \(name)', or --define \(name)=VALUE"
                    )
                case .variable: continue
                }
            }
        }
    }

    /// Takes note of a variable, and of its value if that is known.
    mutating func assign(_ name: String, _ value: String?) {
        // A variable that is set again may have either value, so its value is unknown.
        let isFirst = !given.variables.contains(name) && !givenAtEnd.variables.contains(name)
        // `.some`, because the assignment of a plain nil would remove the name.
        values[name] = .some(isFirst ? value : nil)
        if section == .finalCleanup {
            givenAtEnd.variables.insert(name)
        } else {
            given.variables.insert(name)
        }
    }

    mutating func addStream(_ name: String) {
        if section == .finalCleanup {
            givenAtEnd.streams.insert(name)
        } else {
            given.streams.insert(name)
        }
    }

    /// A name for a variable or a stream.
    func newName(_ token: ScriptToken) throws(ScriptProblem) -> String {
        guard let name = token.bare, ScriptName.isValid(name) else {
            throw ScriptProblem(
                "\(Prose.quoted(token.word.shown)) is not a name",
                at: token,
                hint: "a letter, then letters, digits, '_' and '-'"
            )
        }
        return name
    }

    /// The name of a variable that a statement sets. That of a repetition around it gets its value anew in each step.
    func assignedName(_ token: ScriptToken) throws(ScriptProblem) -> String {
        let name = try newName(token)
        guard let block = blocks.first(where: { $0.variable == name }) else { return name }
        let place = "the '\(block.statement.head.bare ?? "repeat")' of line \(block.statement.head.place.line)"
        throw ScriptProblem("'\(name)' is the variable of \(place)", at: token, hint: "it needs another name")
    }

    /// The text of a word that has to be known before the script runs.
    package func fixed(_ token: ScriptToken) throws(ScriptProblem) -> String {
        if let text = token.word.text(known.value) { return text }
        throw ScriptProblem(
            "\(Prose.quoted(token.word.shown)) has to be known before the script runs",
            at: token,
            hint: "a text, a variable of --define, or ${env:NAME}"
        )
    }

    // MARK: - Steps

    package mutating func add(_ step: ScriptStep, _ statement: ScriptStatement) throws(ScriptProblem) {
        if !blocks.isEmpty {
            blocks[blocks.count - 1].steps.append(step)
            return
        }
        // The sections `test` and `cleanup` begin with or after a test, so that there is a last one.
        switch section {
        case .setup: script.setup.append(step)
        case .test: script.tests[script.tests.count - 1].steps.append(step)
        case .cleanup: script.tests[script.tests.count - 1].cleanup.append(step)
        case .finalCleanup: script.cleanup.append(step)
        case .afterTests:
            throw ScriptProblem(
                "a step after an included file with tests needs a test",
                at: statement.head,
                hint: "test NAME"
            )
        }
    }

    /// Ends the reading, and checks the text as a whole.
    package mutating func finish() {
        // At the end, because a later statement can set a variable again, and so make its value unknown.
        var checks = ScriptLimits.checks
        for command in commands where !isHopeless {
            problems += command.problems(known, values, script.devices, &checks)
        }
        // Another problem may be the reason why the test has no step.
        for test in script.tests where test.steps.isEmpty && problems.isEmpty {
            problems.append(ScriptProblem("the test has no step", at: test.place, length: 4))
        }
        let runs = ScriptStep.runs(script.setup + script.cleanup + script.tests.flatMap { $0.steps + $0.cleanup })
        let start = ScriptPlace(file: DeviceFiles.name(of: script.name), line: 1)
        if runs > ScriptLimits.runs {
            problems.append(ScriptProblem("more than \(ScriptLimits.runs) steps with all rounds", at: start))
        } else if runs == 0, problems.isEmpty {
            problems.append(ScriptProblem("the script has no step", at: start))
        }
    }
}

extension ScriptStatement {
    /// Whether an `end` belongs to it.
    fileprivate var beginsBlock: Bool {
        [ScriptKeyword.repeat.rawValue, ScriptKeyword.for.rawValue].contains(head.bare)
    }
}

extension ScriptStep {
    /// The number of steps that run, with all rounds, at most one more than is allowed.
    package static func runs(_ steps: [ScriptStep]) -> Int {
        var sum = 0
        for step in steps {
            if case .repeat(let count, _, let steps) = step.action {
                let (product, overflow) = runs(steps).multipliedReportingOverflow(by: count)
                // An overflow is more than is allowed in any case.
                sum += overflow ? ScriptLimits.runs + 1 : min(product, ScriptLimits.runs + 1)
            } else {
                sum += 1
            }
            sum = min(sum, ScriptLimits.runs + 1)
        }
        return sum
    }
}
