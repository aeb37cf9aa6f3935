// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import CommandLineInterface
import Records
import Terminal
import Toolkit

/// Checks a command of a script with the parser of blectl's own command line.
///
/// A word with an unknown variable is parsed as it is: the parser's errors about it, and about values that depend on
/// it, are ignored until the step runs.
struct CommandCheck: Sendable {
    package enum Kind: Sendable {
        case deviceOptions
        /// A step, with its device, whether it runs in the background, and how many devices are declared before it.
        /// Their names come with the check, because each step would otherwise keep all of them.
        case command(CommandName, device: String?, isStream: Bool, deviceCount: Int)
    }

    private let kind: Kind
    /// The word at which a problem is shown that is about the whole command.
    private let head: ScriptToken
    /// The place after the command, at which a missing argument is shown.
    private let end: ScriptPlace
    /// The words, in the same order as the texts that the parser gets, so that an index is valid in both.
    private let words: [ScriptToken]
    private let commands: CommandSet
    /// The values of the variables of `for` that are in the words, by their names.
    private let rounds: [String: [ScriptWord]]
    /// The conditions on the results, of the step and of those that take from its stream.
    var conditions: [ScriptCondition]

    /// - Parameters:
    ///   - words: The words of the command without its name and that of its device.
    ///   - last: The last word of the command.
    ///   - commands: The commands of blectl.
    ///   - blocks: The repetitions around the command.
    init(
        _ kind: Kind,
        _ statement: ScriptStatement,
        _ words: [ScriptToken],
        last: ScriptToken?,
        of commands: CommandSet,
        in blocks: [ScriptParser.Block] = [],
        expecting conditions: [ScriptCondition] = []
    ) {
        self.conditions = conditions
        let names = words.flatMap(\.word.parts).compactMap { if case .variable(let name, _) = $0 { name } else { nil } }
        rounds = blocks.reduce(into: [:]) { rounds, block in
            guard let name = block.variable, !block.values.isEmpty, names.contains(name) else { return }
            rounds[name] = block.values
        }
        self.kind = kind
        self.commands = commands
        self.words = words
        head = statement.head
        end = (last ?? statement.head).end
    }

    /// The first problem of the command, or those of its conditions; none if none can be known.
    ///
    /// - Parameters:
    ///   - values: The variables that the script sets, with their values if they have one only.
    ///   - devices: All declared devices, in order.
    ///   - checks: The number of values of `for` for which commands may still be checked.
    func problems(
        _ known: ScriptConstants,
        _ values: [String: String?],
        _ devices: [ScriptDevice],
        _ checks: inout Int
    ) -> [ScriptProblem] {
        // A variable that is set in several places has no value here, so that its word counts as unknown.
        func value(_ part: ScriptWord.Part) -> String? {
            if case .variable(let name, _) = part, let own = values[name] { return own }
            return known.value(part)
        }
        guard !rounds.isEmpty, checks > 0 else { return problems(known, devices, value) }
        // Of several variables, each value of each, but not each with each of the others.
        for round in 0..<(rounds.values.map(\.count).max() ?? 0) where checks > 0 {
            checks -= 1
            let own = rounds.mapValues { $0[round % $0.count].text(value) }
            let found = problems(known, devices) { part in
                if case .variable(let name, let path) = part, path.isEmpty, let text = own[name] { return text }
                return value(part)
            }
            guard found.isEmpty else { return found }
        }
        return []
    }

    /// The same where the variables have these values.
    private func problems(
        _ known: ScriptConstants,
        _ devices: [ScriptDevice],
        _ value: (ScriptWord.Part) -> String?
    ) -> [ScriptProblem] {
        var hasUnknown = false
        var texts: [String] = []
        for token in words {
            let word = token.word
            let text = word.text(value)
            // The same check as when the step runs, so that the fault is found before the script has done
            // anything.
            if let text,
                let refusal = StepCommandLine.refusal(
                    of: word,
                    text,
                    after: texts,
                    of: command,
                    in: table
                )
            {
                return [ScriptProblem(refusal.message, at: token, hint: refusal.hint)]
            }
            hasUnknown = hasUnknown || text == nil
            texts.append(text ?? word.shown)
        }
        do throws(UsageError) {
            let problems = try check(texts, known, hasUnknown: hasUnknown)
            guard problems.isEmpty else { return problems }
        } catch {
            return hasUnknown && error.isAboutValues ? [] : [problem(error, texts, devices.map(\.name))]
        }
        return contradiction(of: texts, known, devices).map { [$0] } ?? []
    }

    /// The problem that the step has only with the options of its device: what they contradict.
    private func contradiction(
        of texts: [String],
        _ known: ScriptConstants,
        _ devices: [ScriptDevice]
    ) -> ScriptProblem? {
        guard case .command(let command, let name?, _, _) = kind, command.spec.groups.contains(.device),
            let device = devices.first(where: { $0.name == name })
        else { return nil }
        let options = device.options.compactMap { $0.text(known.value) }
        // An unknown option may be the one that matters, and a fault of the declaration is reported there.
        guard !options.isEmpty, options.count == device.options.count,
            (try? request(for: commands.deviceCommand, options, known)) != nil
        else { return nil }
        do throws(UsageError) {
            _ = try request(for: command, command.type.stepOptions + options + texts, known)
            return nil
        } catch {
            // Values that are not known yet are words with braces here, as in the check before.
            if error.isAboutValues, texts.contains(where: { $0.contains(text: "${") }) { return nil }
            let hint = "the options of \(name) are at \(device.place.text)"
            return ScriptProblem(error.withoutCommand().message, at: head, hint: hint)
        }
    }

    private func request(
        for command: CommandName,
        _ texts: [String],
        _ known: ScriptConstants
    ) throws(UsageError) -> CommandRequest {
        // With a device at the other end of a socket, the parser wants no other. Any path will do, because nothing
        // is opened here.
        let socket = known.isDeviceGiven ? ["--\(GlobalSpec.radio.spec.long)=unix:blectl"] : []
        let scanner = ArgumentScanner([command.rawValue] + socket + texts, table)
        let parsed = try ParsedArguments(scanner, command: command) { name in
            guard name == DeviceSpec.device.spec.environment else { return nil }
            // The declaration names the device, so that any name will do for the parser.
            if case .command(_, .some, _, _) = kind { return "device" }
            return known.environment[name]
        }
        if known.isStandardInput, parsed.files(without: []).contains("-") {
            throw parsed.impossible("standard input has the script", hint: "a value in a file is @FILE")
        }
        return try CommandRequest(parsed, of: commands, formats: known.formats)
    }

    /// The conditions that name a field that no result of the step can have, or compare one with what it never is.
    private func impossibleConditions(_ request: CommandRequest, _ known: ScriptConstants) -> [ScriptProblem] {
        let scope = ResultScope(request, of: commands)
        // Without the fields of its values the step itself will tell.
        guard scope.fields != nil else { return [] }
        let variables = ScriptVariables(keys: commands.records.flatMap(\.allKeys))
        let evaluation = ConditionEvaluation(variables: variables, formats: known.formats, scope: scope)
        return conditions.flatMap(\.comparisons).compactMap { comparison in
            if let unmet = evaluation.unknown(.comparison(comparison)) {
                return ScriptProblem(
                    "no result of the step can meet this: \(unmet.got)",
                    at: comparison.place,
                    hint: unmet.note
                )
            }
            let word: ScriptWord? =
                switch comparison.relation {
                case .equal(let word), .notEqual(let word): word
                default: nil
                }
            guard let text = word?.text(known.value), let reason = scope.impossibility(of: text, in: comparison.field)
            else { return nil }
            return ScriptProblem("no result of the step is \(Prose.quoted(text))", at: comparison.place, hint: reason)
        }
    }

    private var command: CommandName {
        // Like the options of the device when a step needs it.
        if case .command(let name, _, _, _) = kind { name } else { commands.deviceCommand }
    }

    private var table: CommandTable { commands.table }

    /// Parses the command line. Throws the parser's error, and returns problems that exist only in scripts.
    private func check(_ texts: [String], _ known: ScriptConstants, hasUnknown: Bool) throws(UsageError)
        -> [ScriptProblem]
    {
        let scanner = ArgumentScanner([command.rawValue] + texts, table)
        if scanner.request != nil { return [refusal("help", texts)] }
        if let problem = scanner.problem { throw UsageError(problem, command: command, in: table) }
        for occurrence in scanner.occurrences {
            if let problem = refusal(of: occurrence.option, texts) { return [problem] }
        }
        if case .deviceOptions = kind, let operand = scanner.operands.dropFirst().first {
            throw UsageError(.unexpectedArguments([operand]), command: nil)
        }
        let request = try request(for: command, command.type.stepOptions + texts, known)
        if case .command = kind, let problem = request.command.stepProblem(isOnAir: known.isOnAir) {
            return [ScriptProblem(problem, at: head)]
        }
        if let problem = endlessness(request.command.limits) { return [problem] }
        // A later step looks at the stream of the last round.
        if case .command(_, _, isStream: true, _) = kind, !rounds.isEmpty { return [] }
        return hasUnknown || !known.checksFields ? [] : impossibleConditions(request, known)
    }

    // MARK: - Restrictions of scripts

    /// Why an option is refused in a script although the command has it: the device's options belong to its
    /// declaration, because the step uses the connection that is declared there.
    private func refusal(of option: OptionSpec, _ texts: [String]) -> ScriptProblem? {
        var isOfDevice = option.long == GlobalSpec.adapter.spec.long && command.hasDevice
        if !isOfDevice, GlobalSpec.options.contains(where: { $0.long == option.long }) {
            return refusal(option.long, texts)
        }
        // The step uses the link of the declared device, which is not made again while a step uses it: the option would
        // be accepted and do nothing.
        if case .command = kind, option.long == DeviceSpec.reconnect.spec.long {
            return ScriptProblem(
                "a step cannot have the option '--\(option.long)'",
                at: token(ofOption: option.long, texts) ?? head,
                hint: "a lost link fails the stream; the next step that needs the link connects again"
            )
        }
        // It is about the requests of a step as well: a stranger is refused, and pairs in the next step.
        if case .command = kind, option.long == DeviceSpec.noPair.spec.long { return nil }
        isOfDevice =
            isOfDevice || DeviceSpec.options.contains { $0.long == option.long }
            || !command.has(.changesLink) && LinkSettingsSpec.options.contains { $0.long == option.long }
        switch kind {
        case .deviceOptions where !isOfDevice:
            return problem(
                UsageError(.inapplicableOption("--\(option.long)"), command: table.name("device"), in: table),
                texts,
                []
            )
        case .command(let command, let device?, _, _) where isOfDevice && command.spec.groups.contains(.device):
            return ScriptProblem(
                "option '--\(option.long)' belongs to the declaration of the device",
                at: token(ofOption: option.long, texts) ?? head,
                hint: "device \(device) ... --\(option.long)"
            )
        default: return nil
        }
    }

    /// The problem that an option is for the whole run.
    private func refusal(_ option: String, _ texts: [String]) -> ScriptProblem {
        let isLimit = option == GlobalSpec.timeout.spec.long || option == GlobalSpec.deadline.spec.long
        return ScriptProblem(
            "a step cannot have the option '--\(option)'",
            at: token(ofOption: option, texts) ?? head,
            hint: isLimit ? "within TIME" : "it can be given to 'blectl run'"
        )
    }

    /// The problem that a step would go on for ever.
    private func endlessness(_ limits: StopLimits?) -> ScriptProblem? {
        guard case .command(let command, _, isStream: false, _) = kind, limits?.isEndless == true else { return nil }
        return ScriptProblem(
            "'\(command.rawValue)' has no end",
            at: head,
            hint: (command.has(.stream) || command.spec.streamOption != nil
                ? "'as NAME' runs it in the background; " : "")
                + "--count NUMBER or --duration TIME ends it"
        )
    }

    // MARK: - The place of a problem

    /// The problem at the word that caused it. A word in the place of the target may be a device's name without its
    /// declaration, so the hint names the declared ones.
    private func problem(_ error: UsageError, _ texts: [String], _ devices: [String]) -> ScriptProblem {
        var token = token(of: error.reason, texts)
        var hint: String? = error.hint
        // The problem is shown at its word. After a sentence about that word, the whole help of the command adds
        // nothing.
        if case .impossible(_, nil) = error.reason { hint = nil }
        if case .badData(_, nil) = error.reason { hint = nil }
        switch (error.reason, kind) {
        case (.missingArgument, _):
            let place = ScriptToken(place: end)
            token = place
            if case .command(let command, _, _, _) = kind { hint = ScriptCommand.form(command) }
        // `DeviceOptions` has this message, with a hint that is for a command line.
        case (.impossible(let message, _), .command) where message == "no device is named":
            hint = "device NAME -d ADDRESS, before the first step"
        case (.unexpectedArguments, .deviceOptions): hint = "-d ADDRESS, -d NAME, --name GLOB or --service UUID"
        case (_, .deviceOptions): hint = hint.map { $0.hasPrefix("see") ? "device options: blectl read --help" : $0 }
        default: break
        }
        let operands = operands(texts)
        if case .command(let command, let device, _, let count) = kind, let first = token,
            first.place == operands.first?.place, command.spec.groups.contains(.device)
        {
            let text = first.word.shown
            let names = Array(devices.prefix(count))
            // A word near to the name of a characteristic is one, whatever follows it.
            let isLikelyDevice = operands.count > 1 && !error.message.contains(text: "did you mean")
            if let similar = Suggestion.closest(to: text, among: names) {
                hint = "is the device '\(similar)' meant?"
            } else if let device, names.count > 1 || hint == nil || isLikelyDevice {
                hint = "a device is declared as \(Prose.list(names, "and")); this step is for '\(device)'"
            } else if device == nil, isLikelyDevice {
                hint = "no device is declared as \(text): device \(text) -d ADDRESS, before the first step"
            }
        }
        // The command takes a misspelt clause for one more of its words.
        if case .command = kind, let word = token?.word.shown,
            let clause = Suggestion.closest(to: word, among: ["expect", "within"])
        {
            hint = "is '\(clause)' meant?"
        }
        // The step has a name of its own, which the command line does not know.
        let own = command.type.stepWord
        if let own, let text = hint, text.hasPrefix("blectl \(command.rawValue) ") {
            hint = own + text.dropFirst("blectl \(command.rawValue)".count)
        }
        let message = (isDevice || own != nil ? error.withoutCommand() : error).message
        return ScriptProblem(message, at: token ?? head, hint: hint)
    }

    private var isDevice: Bool { if case .deviceOptions = kind { true } else { false } }

    private func operands(_ texts: [String]) -> [ScriptToken] {
        ArgumentScanner([command.rawValue] + texts, table).operands.dropFirst().compactMap { text in
            texts.firstIndex(of: text).map { words[$0] }
        }
    }

    /// The word of a usage error, because the parser of the command line knows texts without places; `nil` if it cannot
    /// be determined.
    private func token(of reason: UsageError.Reason, _ texts: [String]) -> ScriptToken? {
        switch reason {
        case .unknownOption(let name), .inapplicableOption(let name), .unexpectedValue(let name),
            .exclusive(let name, _):
            return token(ofOption: String(name.drop { $0 == "-" }), texts)
        case .missingValue(let synopsis, _):
            return token(
                ofOption: String(synopsis.prefix { $0 != " " && $0 != "[" && $0 != "=" }.drop { $0 == "-" }),
                texts
            )
        case .invalidValue(let text, _, _, _):
            let index =
                // The parser has cut the value off its option, so that the word may be longer.
                texts.firstIndex(of: text) ?? texts.firstIndex { $0.hasSuffix("=\(text)") }
                ?? texts.firstIndex { !text.isEmpty && $0.contains(text: text) }
            return index.map { words[$0] }
        case .unexpectedArguments(let extra):
            // The last one, because surplus words stand at the end, and the same text may be a valid word before them.
            return extra.first.flatMap { texts.lastIndex(of: $0) }.map { words[$0] }
        case .impossible(let message, _), .badData(let message, _):
            // Of the words that the message quotes, the longest one.
            let quoted = texts.indices.filter { !texts[$0].isEmpty && message.contains(text: Prose.quoted(texts[$0])) }
            if let longest = quoted.max(by: { texts[$0].utf8.count < texts[$1].utf8.count }) { return words[longest] }
            // Bad data is the value to write, which comes last.
            guard case .badData = reason else { return nil }
            return ArgumentScanner([command.rawValue] + texts, table).operands.last.flatMap { texts.lastIndex(of: $0) }
                .map { words[$0] }
        default: return nil
        }
    }

    /// The word of an option, by its long name or its letter.
    private func token(ofOption name: String, _ texts: [String]) -> ScriptToken? {
        let long = "--\(name)"
        if let index = texts.firstIndex(where: { $0 == long || $0.hasPrefix("\(long)=") }) { return words[index] }
        let letter = table.option(long: name, for: command)?.short ?? (name.count == 1 ? name.first : nil)
        let index = texts.firstIndex { text in
            guard text.hasPrefix("-"), !text.hasPrefix("--") else { return false }
            return text.dropFirst() == name || letter.map(text.dropFirst().contains) ?? false
        }
        return index.map { words[$0] }
    }
}

extension UsageError {
    /// Whether the error may be due to a value that is not known yet.
    fileprivate var isAboutValues: Bool {
        switch reason {
        // A word with an unknown variable stands in the error as it is written.
        case .invalidValue(let text, _, _, _): text.contains(text: "${")
        case .impossible, .badData: true
        default: false
        }
    }
}
