// SPDX-License-Identifier: GPL-2.0-or-later

import Terminal

/// A checked command line: a command, and the texts of its options and arguments.
///
/// `CommandRequest` reads it with the typed keys of the table. The values were checked before, so that reading cannot
/// fail:
///
/// ```
/// let duration = parsed[ScanCommand.duration]   // Duration?
/// let targets = parsed[ReadCommand.targets]     // [String]
/// if parsed[GlobalSpec.json] { … }           // Bool
/// ```
///
/// If an option with a value is given several times, the last value counts, unless the table says that all count.
package struct ParsedArguments: Sendable {
    package let command: CommandName

    /// A part of the command line of a command with separators.
    package struct Section: Sendable {
        /// The word that begins it; `nil` for the first one.
        package let separator: String?
        /// The operands in it, and its options.
        package let arguments: ParsedArguments
    }

    /// The sections in order; empty for a command without separators. The arguments as a whole then have the options of
    /// all sections, and no operands.
    package private(set) var sections: [Section] = []

    /// What the program knows besides the words, for the commands. The command line does not look at it.
    package var knowledge: any Sendable = ()

    private let spec: CommandSpec
    private let table: CommandTable
    /// The texts, by the long name of the option or the name of the argument. A flag has an empty text for each
    /// occurrence.
    private var texts = ArgumentTexts()
    /// The long names of the options whose texts are those of variables.
    private var variableNames: [String] = []

    package init(
        _ scanner: ArgumentScanner,
        command: CommandName,
        environment: (String) -> String?
    ) throws(UsageError) {
        self.command = command
        spec = command.spec
        table = scanner.table
        try take(scanner.occurrences)
        if spec.separators.isEmpty {
            try take(operands: scanner.operands.dropFirst())
            try refuseExclusive(among: spec.allOptions)
        } else {
            // The first operand is the command.
            for (index, section) in scanner.sections.enumerated() {
                let operands = section.operands.dropFirst(index == 0 ? 1 : 0)
                let arguments = try ParsedArguments(section.occurrences, operands, of: spec, table)
                sections.append(Section(separator: section.separator, arguments: arguments))
            }
            // Each section has compared the command's own options: those of different sections do not exclude each
            // other.
            try refuseExclusive(among: spec.groups.flatMap(\.options))
        }
        // Last, because an option of the command line can exclude a variable.
        try take(environment)
    }

    /// Reads a line; `nil` if it asks for help or for the version, or names no command.
    ///
    /// - Parameter words: The words after the name of the program.
    package init?(
        _ words: [String],
        of table: CommandTable,
        environment: (String) -> String?
    ) throws(UsageError) {
        let scanner = ArgumentScanner(words, table)
        let command = scanner.operands.first.flatMap(table.name)
        if let problem = scanner.problem { throw UsageError(problem, command: command, in: table) }
        guard let command, scanner.request == nil else { return nil }
        try self.init(scanner, command: command, environment: environment)
    }

    private init(
        _ occurrences: [ArgumentScanner.Occurrence],
        _ operands: ArraySlice<String>,
        of spec: CommandSpec,
        _ table: CommandTable
    ) throws(UsageError) {
        command = spec.name
        self.table = table
        self.spec = spec
        try take(occurrences)
        try take(operands: operands)
        try refuseExclusive(among: spec.allOptions)
    }

    package subscript<Value>(option: Option<Value>) -> Value {
        assert(
            spec.option(named: option.spec.long) != nil,
            "'\(command.rawValue)' asks for '--\(option.spec.long)', which is not in its table"
        )
        guard let value = option.reading.value(of: texts[option.spec.long]) else {
            preconditionFailure("the default of '--\(option.spec.long)' is not a value")
        }
        return value
    }

    package subscript<Value>(argument: Argument<Value>) -> Value {
        guard let value = argument.reading.value(of: texts[argument.spec.name]) else {
            preconditionFailure("'\(command.rawValue)' asks for \(argument.spec.name), which is not in its table")
        }
        return value
    }

    /// Whether an option was given, on the command line or through its environment variable.
    package func isGiven<Value>(_ option: Option<Value>) -> Bool { texts[option.spec.long] != nil }

    /// Whether an option was given on the command line.
    package func isTyped<Value>(_ option: Option<Value>) -> Bool {
        isGiven(option) && !variableNames.contains(option.spec.long)
    }

    package func isGiven(_ option: OptionSpec) -> Bool { texts[option.long] != nil }

    /// The files that options and arguments may name; `-` for standard input.
    ///
    /// - Parameter excluded: The options that are left out, with their dashes.
    package func files(without excluded: Set<String>) -> [String] {
        func files(_ value: ValueSpec?, _ name: String) -> [String] {
            let texts = texts[name] ?? []
            return switch value?.completion {
            case .file, .fileEnding, .servedDevice: texts
            case .fileBehindAt: texts.compactMap { $0 == "-" ? $0 : $0.hasPrefix("@") ? String($0.dropFirst()) : nil }
            default: []
            }
        }
        return spec.allOptions.filter { !excluded.contains("--\($0.long)") }.flatMap { files($0.value, $0.long) }
            + spec.arguments.flatMap { files($0.value, $0.name) }
            + sections.flatMap { $0.arguments.files(without: excluded) }
    }

    /// The error for a text of an option that the command finds to be invalid.
    ///
    /// - Parameter expectation: The expected form, to follow a colon: "expected an address such as F0:F1:F2:F3:F4:F5".
    package func invalid<Value>(_ option: Option<Value>, _ text: String, _ expectation: String) -> UsageError {
        invalid(text, of: "'\(option.spec.synopsis)'", ValueProblem(expectation: expectation))
    }

    /// The error for a text of an option that has not the syntax that the command requires.
    package func invalid<Value>(_ option: Option<Value>, _ text: String, _ problem: ValueProblem) -> UsageError {
        invalid(text, of: "'\(option.spec.synopsis)'", problem)
    }

    /// The error for a text of an argument that has not the syntax that the command requires.
    package func invalid<Value>(_ argument: Argument<Value>, _ text: String, _ problem: ValueProblem) -> UsageError {
        invalid(text, of: argument.spec.name, problem)
    }

    /// The error for a text of an argument that the command finds to be invalid.
    ///
    /// - Parameter expectation: The expected form, to follow a colon: "expected a UUID or an assigned name".
    package func invalid<Value>(_ argument: Argument<Value>, _ text: String, _ expectation: String) -> UsageError {
        invalid(text, of: argument.spec.name, ValueProblem(expectation: expectation))
    }

    /// The error for a text that has not the syntax which its subject requires.
    ///
    /// - Parameter subject: What the text is for, to follow "for": an option in quotes, or the name of an argument. The
    ///   words of an action have that of the action, because the name of their argument says nothing.
    package func invalid(_ text: String, of subject: String, _ problem: ValueProblem) -> UsageError {
        UsageError(
            .invalidValue(
                text,
                of: subject,
                expectation: problem.expectation,
                suggestion: problem.suggestion
            ),
            command: command,
            in: table,
            valueHint: problem.hint
        )
    }

    /// The error for options that contradict each other, or for something missing.
    ///
    /// - Parameters:
    ///   - message: The mistake as one line in lower case.
    ///   - hint: The remedy.
    package func impossible(_ message: String, hint: String? = nil) -> UsageError {
        error(.impossible(message, hint: hint))
    }

    // MARK: - Checking

    private mutating func take(_ occurrences: [ArgumentScanner.Occurrence]) throws(UsageError) {
        for occurrence in occurrences {
            guard let option = spec.option(named: occurrence.option.long) else {
                throw error(.inapplicableOption("--\(occurrence.option.long)"))
            }
            // An option whose value is optional has an empty text if the value is missing.
            if option.kind != .optionalValue || !occurrence.text.isEmpty {
                try check(occurrence.text, against: option.value, of: "'\(option.synopsis)'")
            }
            texts.append(occurrence.text, to: option.long)
        }
    }

    private mutating func take(operands: ArraySlice<String>) throws(UsageError) {
        var remaining = operands
        for argument in spec.arguments {
            let taken = argument.arity.takesAll ? remaining : remaining.prefix(1)
            guard !taken.isEmpty else {
                if argument.arity == .optional || argument.arity == .any { continue }
                let choices = command.type.choices(of: argument, after: Array(operands))
                let hint = targets(of: argument) ?? Self.split(operands.last) ?? (choices.isEmpty ? example : nil)
                throw error(.missingArgument(argument.name, choices: choices), valueHint: hint)
            }
            for text in taken { try check(text, against: argument.value, of: argument.name) }
            texts[argument.name] = Array(taken)
            remaining = remaining.dropFirst(taken.count)
        }
        guard remaining.isEmpty else { throw error(.unexpectedArguments(Array(remaining))) }
    }

    private func refuseExclusive(among options: [OptionSpec]) throws(UsageError) {
        let compatible = spec.compatible
        for option in options where texts[option.long] != nil {
            let excluded = option.excludes.filter { !compatible.contains(option.long) || !compatible.contains($0) }
            if let other = excluded.first(where: { texts[$0] != nil }) {
                throw error(.exclusive("--\(option.long)", "--\(other)"))
            }
        }
        for argument in spec.arguments where texts[argument.name] != nil {
            if let other = argument.excludes.first(where: { texts[$0] != nil }) {
                throw error(.exclusive(argument.name, "--\(other)"))
            }
        }
    }

    /// Uses environment variables for options that are not given, unless the command line contains an option that
    /// excludes them.
    private mutating func take(_ environment: (String) -> String?) throws(UsageError) {
        // Those that yield to others come last, because the others may have variables as well.
        var options: [OptionSpec] = []
        for option in spec.allOptions where option.environment != nil && texts[option.long] == nil {
            options.append(option)
        }
        _ = options.partition { !$0.environmentYieldsTo.isEmpty }
        for option in options {
            guard
                let variable = option.environment,
                let text = environment(variable), !text.isEmpty,
                !(option.excludes + option.environmentYieldsTo).contains(where: { texts[$0] != nil }),
                !spec.arguments.contains(where: { texts[$0.name] != nil && $0.excludes.contains(option.long) })
            else { continue }
            try check(text, against: option.value, of: "$\(variable)")
            texts[option.long] = [text]
            variableNames.append(option.long)
        }
    }

    private func check(_ text: String, against value: ValueSpec?, of subject: String) throws(UsageError) {
        do throws(ValueProblem) {
            try value?.check(text)
        } catch {
            throw invalid(text, of: subject, error)
        }
    }

    private func error(_ reason: UsageError.Reason, valueHint: String? = nil) -> UsageError {
        UsageError(reason, command: command, in: table, valueHint: valueHint)
    }

    /// The hint for a missing argument: a command line that has one; `nil` if the documentation has none.
    private var example: String? {
        spec.examples.first { $0.line.split(separator: " ").contains { $0 == command.rawValue } }
            .map { "for example: \($0.line)" }
    }

    /// The hint for a missing attribute of a device: the command that lists those of it; `nil` for another argument.
    private func targets(of argument: ArgumentSpec) -> String? {
        guard argument.value.completion == .target, spec.traits.contains(.oneDevice) else { return nil }
        return "what the device has: blectl inspect" + (texts["device"]?.last.map { " -d \(Prose.word($0))" } ?? "")
    }

    /// The hint for `temperature=36.6C` where two words are expected; `nil` for other words.
    private static func split(_ word: String?) -> String? {
        guard let word, let sign = word.firstIndex(of: "="), sign != word.startIndex else { return nil }
        let parts = [String(word[..<sign]), String(word[word.index(after: sign)...])]
        return "as two words: \(parts.map { Prose.word($0) }.joined(separator: " "))"
    }
}

/// The texts that a command line gives to some names.
///
/// There are few, so a linear search is fast. The first use of a dictionary would make the runtime look up that strings
/// are hashable, which takes longer than parsing all arguments.
private struct ArgumentTexts {
    private var entries: [(name: String, texts: [String])] = []

    /// The texts of a name; `nil` if it has none.
    subscript(name: String) -> [String]? {
        get { index(of: name).map { entries[$0].texts } }
        set {
            if let index = index(of: name) { entries.remove(at: index) }
            if let newValue { entries.append((name, newValue)) }
        }
    }

    mutating func append(_ text: String, to name: String) {
        guard let index = index(of: name) else { return entries.append((name, [text])) }
        entries[index].texts.append(text)
    }

    private func index(of name: String) -> Int? { entries.firstIndex { $0.name == name } }
}
