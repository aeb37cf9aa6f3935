// SPDX-License-Identifier: GPL-2.0-or-later

/// The end of a command line that is being typed, and what can stand there by the rules of the parser.
///
/// The completion scripts ask about a line of their shell (`blectl help --complete=LINE`), and `blectl shell` about the
/// words of its own.
package struct CompletionRequest: Sendable {
    package enum Subject: Sendable {
        case command
        case option([OptionSpec])
        case value(ValueSpec)
    }

    /// What the last word can be; `nil` if none can stand here.
    package let subject: Subject?
    /// The beginning of the last word that is no part of the value: `--sort=`.
    package let before: String
    /// The rest of the last word.
    package let typed: String
    /// The line without its last word.
    private let scanner: ArgumentScanner
    /// The texts that the environment has for options, by their long names.
    private let variables: [String: String]

    /// Reads a line up to the cursor, with the name of the program, as it is typed into a shell. Where shells differ in
    /// their quotes, it is read as `blectl shell` would.
    package init(
        line text: String,
        of table: CommandTable,
        environment: (String) -> String?
    ) {
        let line = ShellLine(unfinished: text)
        var words = line.words.map(\.text)
        let last = line.isLastComplete ? "" : words.popLast() ?? ""
        self.init(after: Array(words.dropFirst()), last, of: table, environment: environment)
    }

    /// The operands before the last word, without the command.
    package var operands: ArraySlice<String> { scanner.operands.dropFirst() }

    /// - Parameters:
    ///   - words: The words after the name of the program, without the last one.
    ///   - last: What is typed of the last one.
    ///   - refused: Options that are not offered.
    package init(
        after words: [String],
        _ last: String,
        of table: CommandTable,
        refusing refused: [OptionSpec] = [],
        environment: (String) -> String? = { _ in nil }
    ) {
        let scanner = ArgumentScanner(words, table)
        self.scanner = scanner
        let named = table.groups.flatMap(\.options).compactMap { option in
            option.environment.flatMap(environment).map { (option.long, $0) }
        }
        variables = Dictionary(named) { first, _ in first }
        let command = scanner.operands.first.flatMap(table.name)
        let mayBeOption = !scanner.isEnded && (last == "-" || ArgumentScanner.looksLikeOption(last))
        var option = scanner.awaiting
        var length = 0
        if option == nil, mayBeOption { (option, length) = Self.attached(last, command, table) ?? (nil, 0) }
        before = String(last.prefix(length))
        typed = String(last.dropFirst(length))
        if let option {
            let isRefused = refused.contains { $0.long == option.long }
            subject = isRefused ? nil : option.value.map { .value($0) }
        } else if mayBeOption {
            // What is before an equals sign is no option with a value.
            subject = last.contains("=") ? nil : .option(Self.options(of: command, scanner, refused))
        } else if scanner.operands.isEmpty {
            subject = .command
        } else {
            subject = command.flatMap { Self.argument(of: $0.spec, scanner) }.map { .value($0) }
        }
    }

    package var commands: [CommandName] { scanner.table.names }

    package func isGiven(_ option: OptionSpec) -> Bool { scanner.isGiven(option) }

    /// The text of an option on the line, as typed, or that of the environment; `nil` for none.
    package func text(of option: OptionSpec) -> String? {
        scanner.occurrences.last { $0.option.long == option.long }?.text ?? variables[option.long]
    }

    /// The option that a word names before its value, and the length of that: `--sort=`, `-d`. `nil` if it has no value.
    private static func attached(
        _ word: String,
        _ command: CommandName?,
        _ table: CommandTable
    ) -> (OptionSpec, Int)? {
        if word.hasPrefix("--") {
            guard let sign = word.firstIndex(of: "=") else { return nil }
            let name = String(word[..<sign].dropFirst(2))
            return table.option(long: name, for: command).map { ($0, name.count + 3) }
        }
        for (index, letter) in word.dropFirst().dropLast().enumerated() {
            guard let option = table.option(short: letter, for: command) else { return nil }
            guard option.takesValue else { continue }
            let hasSign = Array(word)[index + 2] == "="
            return (option, index + (hasSign ? 3 : 2))
        }
        return nil
    }

    /// The options that can still be given. Before the command, these are those that several commands share.
    private static func options(
        of command: CommandName?,
        _ scanner: ArgumentScanner,
        _ refused: [OptionSpec]
    ) -> [OptionSpec] {
        let spec = command?.spec
        let compatible = spec?.compatible ?? []
        let all = spec?.allOptions ?? scanner.table.groups.flatMap(\.options)
        let given = scanner.sections.last?.occurrences.map(\.option) ?? []
        return all.filter { option in
            !option.isHidden && !refused.contains { $0.long == option.long }
                && given.allSatisfy { other in
                    if other.long == option.long { return option.kind != .flag && option.kind != .value }
                    if compatible.isSuperset(of: [option.long, other.long]) { return true }
                    return !other.excludes.contains(option.long) && !option.excludes.contains(other.long)
                }
        }
    }

    private static func argument(of spec: CommandSpec, _ scanner: ArgumentScanner) -> ValueSpec? {
        // The first section has the command, too.
        let index = (scanner.sections.last?.operands.count ?? 0) - (scanner.sections.count == 1 ? 1 : 0)
        if index < spec.arguments.count { return spec.arguments[index].value }
        return spec.arguments.last.flatMap { $0.arity.takesAll ? $0.value : nil }
    }
}

extension OptionSpec {
    /// The option in all its forms, with dashes: `-d`, `--device`.
    package var forms: [String] { (short.map { ["-\($0)"] } ?? []) + ["--\(long)"] }
}
