// SPDX-License-Identifier: GPL-2.0-or-later

/// The first step of the parser: splits the arguments into options and operands, by the table.
///
/// The rules are those of `getopt_long(3)`, except that names cannot be abbreviated, so that scripts keep working when
/// options are added:
/// - `--option value`, `--option=value`, `-o value`, `-ovalue`; letters without a value can share a dash (`-vq`).
/// - Options may stand anywhere, also before the command. `--` ends them. A lone `-` is an operand.
/// - An option whose value is optional takes it from its own word only, after an equals sign.
/// - A value that begins with a dash needs an equals sign, so that a forgotten value is noticed. Negative numbers are
///   accepted as values and as operands.
///
/// - Words that a command has as separators begin a new section, unless they are values.
///
/// Scanning continues after the first problem, because `--help` works in any place.
package struct ArgumentScanner {
    /// An option from the command line; the text is empty if it has no value.
    package struct Occurrence {
        package let option: OptionSpec
        package let text: String
    }

    /// A text to print instead of running a command.
    package enum Request {
        case help(HelpText.Length)
        case version
    }

    /// A part of the command line. Only a command with separators has more than one.
    package struct Section {
        /// The word that begins the section; `nil` for the first one.
        package let separator: String?
        package var occurrences: [Occurrence] = []
        package var operands: [String] = []
    }

    private(set) var sections = [Section(separator: nil)]
    package private(set) var problem: UsageError.Reason?
    /// The first request for help or for the version.
    package private(set) var request: Request?
    /// The option at the end whose value is not there yet.
    private(set) var awaiting: OptionSpec?
    /// Whether `--` ends the options.
    private(set) var isEnded = false

    private var remaining: ArraySlice<String>

    package let table: CommandTable

    package init(_ arguments: [String], _ table: CommandTable) {
        self.table = table
        remaining = arguments[...]
        while let argument = remaining.popFirst() {
            if argument == "--" {
                sections[sections.count - 1].operands += remaining
                isEnded = true
                return
            } else if isSeparator(argument) {
                sections.append(Section(separator: argument))
                if argument.hasPrefix("--") { takeLongOption(argument) }
            } else if argument.hasPrefix("--") {
                takeLongOption(argument)
            } else if Self.looksLikeOption(argument) {
                takeShortOptions(argument)
            } else {
                sections[sections.count - 1].operands.append(argument)
            }
        }
    }

    package var occurrences: [Occurrence] { sections.flatMap(\.occurrences) }

    package var operands: [String] { sections.flatMap(\.operands) }

    /// Whether an option stands on the command line, which may be invalid elsewhere.
    package func isGiven(_ option: OptionSpec) -> Bool { occurrences.contains { $0.option.long == option.long } }

    /// The command, if its operand was already found.
    private var command: CommandName? { sections[0].operands.first.flatMap(table.name) }

    private func isSeparator(_ argument: String) -> Bool { command?.spec.separators.contains(argument) ?? false }

    private mutating func add(_ option: OptionSpec, _ text: String) {
        sections[sections.count - 1].occurrences.append(Occurrence(option: option, text: text))
    }

    private mutating func takeLongOption(_ argument: String) {
        let parts = argument.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = parts.first.map(String.init), let option = table.option(long: name, for: command) else {
            return note(.unknownOption(String(argument.prefix { $0 != "=" })))
        }
        if option.takesValue {
            takeValue(of: option, attached: parts.count > 1 ? String(parts[1]) : nil)
        } else if option.kind == .optionalValue, parts.count > 1 {
            // Without a value there is no equals sign, so an empty variable is noticed.
            guard !parts[1].isEmpty else { return note(.missingValue(of: "--\(name)=", next: nil)) }
            add(option, String(parts[1]))
        } else if parts.count > 1 {
            note(.unexpectedValue(of: "--\(name)"))
        } else {
            take(option, as: .full)
        }
    }

    private mutating func takeShortOptions(_ argument: String) {
        var letters = argument.dropFirst()
        // A long name after a single dash, like -device or -json, is a mistake, not a row of letters or a letter with
        // a value.
        if letters.count > 1, table.option(long: String(letters), for: command) != nil {
            return note(.unknownOption(argument))
        }
        while let letter = letters.popFirst() {
            guard let option = table.option(short: letter, for: command) else {
                return note(.unknownOption("-\(letter)"))
            }
            guard option.takesValue else {
                take(option, as: .short)
                continue
            }
            if letters.first == "=" {
                letters.removeFirst()
            } else if letters.isEmpty {
                return takeValue(of: option, attached: nil)
            }
            return takeValue(of: option, attached: String(letters))
        }
    }

    private mutating func take(_ option: OptionSpec, as length: HelpText.Length) {
        add(option, "")
        guard request == nil else { return }
        if option.long == HelpOptions.help.spec.long {
            request = .help(length)
        } else if option.long == HelpOptions.version.spec.long {
            request = .version
        }
    }

    private mutating func takeValue(of option: OptionSpec, attached: String?) {
        if let attached {
            add(option, attached)
        } else if let next = remaining.first, !Self.looksLikeOption(next) {
            remaining.removeFirst()
            add(option, next)
        } else {
            // The next word is left for the scanner: it may be `--help`, which works in any place.
            if remaining.isEmpty { awaiting = option }
            // Of another command, whose value is of no use here.
            let isForeign = command.map { $0.spec.option(named: option.long) == nil } ?? false
            note(
                isForeign
                    ? .inapplicableOption("--\(option.long)")
                    : .missingValue(of: option.synopsis, next: remaining.first)
            )
        }
    }

    private mutating func note(_ reason: UsageError.Reason) {
        if problem == nil { problem = reason }
    }

    /// Whether the text begins with a dash and is neither a lone dash nor a negative number.
    static func looksLikeOption(_ text: String) -> Bool {
        guard text.hasPrefix("-"), text != "-" else { return false }
        // `-.5` is a negative number as well.
        let digits = text.dropFirst().drop { $0 == "." }
        return digits.first.map { !("0"..."9").contains($0) } ?? true
    }
}

/// The options that print a text in place of running a command.
package enum HelpOptions {
    /// `-h` prints short help, `--help` prints long help.
    package static let help = Option(
        flag: "help",
        short: "h",
        summary: "print help: one screen with -h, all with --help"
    )

    package static let version = Option(
        flag: "version",
        short: "V",
        summary: "print the version"
    )
}
