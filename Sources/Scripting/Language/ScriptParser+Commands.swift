// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Terminal
import Toolkit

/// The steps that are commands of blectl.
extension ScriptParser {
    /// Parses a step that is a command of blectl. The command itself is checked later, when all variables are known.
    package mutating func step(_ command: CommandName, _ statement: ScriptStatement) throws(ScriptProblem) -> ScriptStep
    {
        let clauses = try ScriptClauses(statement, at: ScriptCommand.clauses)
        var words = Array(clauses.action)
        var device: String?
        if command.spec.groups.contains(.device) {
            device = try takeDevice(of: command, from: &words, statement)
            if device == nil { hasStepWithoutDevice = true }
        }
        let name = try clauses["as"].map { clause throws(ScriptProblem) in try onlyName(clause) }
        let isStream = name != nil && command.isStream(words.map(\.word))
        let expected = clauses.clauses.filter { $0.name == "expect" }
        let expectations =
            try expected.map { clause throws(ScriptProblem) in
                try expectation(clause, of: command, on: device, stream: isStream ? name : nil)
            }
        try refuseResult(beside: expectations, expected)
        let limit = try limit(clauses)
        if let name {
            assign(name, nil)
            if isStream { addStream(name) }
        }
        let kind = CommandCheck.Kind.command(
            command,
            device: device,
            isStream: isStream,
            deviceCount: deviceNames.count
        )
        let conditions = expectations.compactMap { if case .result(let condition) = $0 { condition } else { nil } }
        commands.append(
            CommandCheck(
                kind,
                statement,
                words,
                last: clauses.action.last,
                of: known.commands,
                in: blocks,
                expecting: conditions
            )
        )
        if let name, isStream { streamCommands[name] = commands.count - 1 }
        return ScriptStep(
            action: .command(command, device: device, words.map(\.word)),
            name: name,
            limit: limit,
            expectations: expectations,
            text: statement.text,
            place: statement.head.place
        )
    }

    /// Parses what is expected of a command.
    ///
    /// - Parameters:
    ///   - device: The declared device of the step; `nil` for none.
    ///   - stream: The name of the stream that the step starts in the background; `nil` for another step.
    private func expectation(
        _ clause: ScriptClauses.Clause,
        of command: CommandName,
        on device: String?,
        stream: String?
    ) throws(ScriptProblem) -> ScriptExpectation {
        let expectation = try ExpectationParser.expectation(clause)
        switch expectation {
        // The results of a stream are its values, which come later.
        case .result, .jitter, .silence:
            guard let stream else { break }
            throw ScriptProblem(
                "a step in the background has no result yet",
                at: clause.keyword,
                hint: "await \(stream) where CONDITION"
            )
        case .error, .status: break
        }
        if expectation == .silence, device == nil {
            throw ScriptProblem(
                "only a declared device can be silent",
                at: clause.keyword,
                hint: "\(ScriptKeyword.device.form), before the first step"
            )
        }
        if case .jitter = expectation, !command.has(.stream) {
            throw ScriptProblem("'\(command.rawValue)' has no results with jitter", at: clause.keyword)
        }
        return expectation
    }

    /// Throws for a condition beside an expected failure: a step that fails has no result that could meet it.
    private func refuseResult(
        beside expectations: [ScriptExpectation],
        _ clauses: [ScriptClauses.Clause]
    ) throws(ScriptProblem) {
        guard expectations.contains(where: \.isFailure) else { return }
        if expectations.contains(.silence), expectations.count > 1 {
            throw ScriptProblem("beside 'expect silence', nothing can be expected", at: clauses[1].keyword)
        }
        for (expectation, clause) in zip(expectations, clauses) {
            switch expectation {
            case .result, .jitter: break
            case .error, .silence, .status: continue
            }
            throw ScriptProblem(
                "a step that is expected to fail has no result",
                at: clause.keyword,
                hint: "beside 'expect error' and 'expect status', only these; a condition is for a step of its own"
            )
        }
    }

    /// Takes the device from the words: their first operand, if that is the name of one, else the only one.
    private func takeDevice(
        of command: CommandName,
        from words: inout [ScriptToken],
        _ statement: ScriptStatement
    ) throws(ScriptProblem) -> String? {
        // Without declared devices, the step finds one by its own options.
        guard !deviceNames.isEmpty else { return nil }
        for (index, token) in words.enumerated() {
            guard let name = token.bare, deviceSet.contains(name) else { continue }
            // The words before it may be options with values: only the scanner of the command line can tell
            // them from operands.
            let before = words[..<index].map { $0.word.text(known.value) ?? $0.word.shown }
            let scanner = ArgumentScanner([command.rawValue] + before, known.commands.table)
            guard scanner.operands.count == 1, scanner.problem == nil else { continue }
            words.remove(at: index)
            return name
        }
        if deviceNames.count == 1 { return deviceNames[0] }
        throw ScriptProblem(
            "the device is not named, and there are several",
            at: statement.head.end,
            hint: "\(command.rawValue) DEVICE ..., with \(Prose.list(deviceNames))"
        )
    }
}

extension ScriptExpectation {
    fileprivate var isFailure: Bool {
        switch self {
        case .result, .jitter, .status(0): false
        case .error, .silence, .status: true
        }
    }
}
