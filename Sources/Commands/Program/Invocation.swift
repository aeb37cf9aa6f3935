// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothDevices
import CaptureCommands
package import CommandLineInterface
package import Toolkit

/// A parsed command line: a command to run, or a text to print.
///
/// ```
/// let invocation = try Invocation(arguments, environment: { … })
/// if let text = invocation.immediateText(width: 80) { …print it and end with status 0… }
/// ```
package enum Invocation: Sendable {
    case run(ParsedArguments)
    case help(HelpText, HelpText.Length)
    /// Print what `blectl help` was asked about, if it is a topic.
    case topic(HelpSubject, CommandTable)
    case version
    case completion(Shell)
    /// Print the JSON Schema of the records of a command, or of all.
    case recordSchema(CommandName?, CommandSet)
    /// Print the names of the files that are generated from the table.
    case generatedFileNames(CommandSet)
    /// Print the words that a shell offers, which depend on this machine.
    case offer(CompletionRequest)
    case generatedFile(GeneratedFile)

    /// Parses the arguments that follow the name of the program.
    ///
    /// - Parameters:
    ///   - environment: Returns the value of an environment variable; `nil` if it is not set.
    package init(
        _ arguments: [String],
        of commands: CommandSet,
        environment: (String) -> String? = { _ in nil }
    ) throws(UsageError) {
        let table = commands.table
        let arguments = ExtcapCommand.words(forWireshark: arguments) ?? arguments
        let scanner = ArgumentScanner(arguments, table)
        let word = scanner.operands.first
        let command = word.flatMap(table.name)
        // There is no help for an unknown command: the error names the nearest one. After another mistake, however, the
        // first operand may be the value of an unknown option.
        if let request = scanner.request, word == nil || command != nil || scanner.problem != nil {
            switch request {
            case .help(let length): self = .help(HelpText(command, in: table), length)
            case .version: self = .version
            }
            return
        }
        if let problem = scanner.problem { throw UsageError(problem, command: command, in: table) }
        guard let word else {
            throw UsageError(arguments.isEmpty ? .nothingGiven : .missingCommand, command: nil, in: table)
        }
        guard let command else {
            throw Self.advised(UsageError(.unknownCommand(word), command: nil, in: table), arguments)
        }
        if let world = Self.misplacedWorld(in: arguments, scanner.operands.dropFirst(), of: command) {
            throw Self.advised(UsageError(.unexpectedArguments([world]), command: command, in: table), arguments)
        }
        let parsed: ParsedArguments
        do throws(UsageError) {
            parsed = try ParsedArguments(scanner, command: command, environment: environment)
        } catch {
            throw Self.advised(error, arguments)
        }
        self = try Self.resolve(parsed, commands, environment)
    }

    /// The operand that is a world directly after `--simulate`, where the command would take it for a device, a target
    /// or a value; `nil` if there is none, or if it may be meant as an operand.
    private static func misplacedWorld(
        in arguments: [String],
        _ operands: ArraySlice<String>,
        of command: CommandName
    ) -> String? {
        let pairs = zip(arguments, arguments.dropFirst())
        let option = "--\(GlobalSpec.simulate.spec.long)"
        guard let word = pairs.first(where: { $0.0 == option && operands.contains($0.1) })?.1 else { return nil }
        let isDevice = command.has(.deviceCommand) && BuiltInDevice.named(word) != nil
        return command.type.takesOperand(likeWorld: word) && !isDevice ? nil : word
    }

    /// The error with the remedy if its word is a world directly after `--simulate`, which takes one only after an
    /// equals sign. The word itself is left out, because `--redact` may be given.
    private static func advised(_ error: UsageError, _ arguments: [String]) -> UsageError {
        let word: String
        switch error.reason {
        case .unknownCommand(let name): word = name
        case .unexpectedArguments(let words): word = words.first ?? ""
        default: return error
        }
        let option = "--\(GlobalSpec.simulate.spec.long)"
        let pairs = zip(arguments, arguments.dropFirst())
        guard word.hasSuffix(".json") || word.contains("/") || word == "security" || BuiltInDevice.named(word) != nil,
            pairs.contains(where: { pair in pair.0 == option && pair.1 == word })
        else { return error }
        let hint = "a world is part of the word of its option: \(option)=WORLD"
        return UsageError(.impossible(error.message, hint: hint), command: error.command)
    }

    /// The text to print on standard output; `nil` if a command has to run.
    ///
    /// Needs no thread, no socket and no task, so that help and completions are fast.
    ///
    /// - Parameter width: The columns of the terminal.
    package func immediateText(width: Int = 80) -> String? {
        switch self {
        case .run, .offer, .generatedFile: nil
        case .help(let help, .short): help.short(width: width)
        case .help(let help, .full): help.full(width: width)
        case .topic(let subject, let table): subject.text(in: table, width: width)
        case .version: Program.versionText
        case .completion(let shell): CompletionScript.script(for: shell)
        case .recordSchema(let command, let commands): commands.jsonSchema(of: command)
        case .generatedFileNames(let commands): GeneratedFile.all(of: commands).map { "\($0.path)\n" }.joined()
        }
    }

    /// Selects the commands that only print a text.
    private static func resolve(
        _ parsed: ParsedArguments,
        _ commands: CommandSet,
        _ environment: (String) -> String?
    ) throws(UsageError) -> Invocation {
        switch parsed.command {
        // A record has a time, which only a command has.
        case .completion, .help, .version:
            if parsed[GlobalSpec.json] || parsed.isGiven(GlobalSpec.format) { return .run(parsed) }
        default: return .run(parsed)
        }
        switch parsed.command {
        case .completion:
            return .completion(parsed[CompletionCommand.shell])
        case .help where parsed[HelpCommand.jsonSchema]:
            if let topic = parsed[HelpCommand.topic], topic.command == nil {
                throw parsed.impossible("the topic '\(topic.topic?.word ?? "")' has no records")
            }
            return .recordSchema(parsed[HelpCommand.topic]?.command, commands)
        case .help:
            if let line = parsed[HelpCommand.complete] {
                return .offer(CompletionRequest(line: line, of: commands.table, environment: environment))
            }
            guard let path = parsed[HelpCommand.generate] else {
                let subject = parsed[HelpCommand.topic]
                if let subject, subject.topic != nil { return .topic(subject, commands.table) }
                return .help(HelpText(subject?.command, in: commands.table), .full)
            }
            if path == "list" { return .generatedFileNames(commands) }
            guard let file = GeneratedFile.all(of: commands).first(where: { $0.path == path }) else {
                throw parsed.invalid(HelpCommand.generate, path, "expected 'list' or a name that it prints")
            }
            return .generatedFile(file)
        default:
            return .version
        }
    }
}
