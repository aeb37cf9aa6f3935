// SPDX-License-Identifier: GPL-2.0-or-later

import Testing

@testable import CommandLineInterface
@testable import Commands
@testable import Records
@testable import Toolkit

@Suite("The command table")
struct CommandTableTests {
    static let commands = CommandSet.all.table.commands

    @Test("every row stands under its own name")
    func names() {
        for name in CommandSet.all.table.names { #expect(name.spec.name == name) }
    }

    @Test("a command accepts an option once", arguments: CommandSet.all.table.names)
    func unique(_ command: CommandName) {
        let options = command.spec.allOptions
        #expect(Set(options.map(\.long)).count == options.count)
        let letters = options.compactMap(\.short)
        #expect(Set(letters).count == letters.count)
        let arguments = command.spec.arguments.map(\.name)
        #expect(Set(arguments).count == arguments.count)
        #expect(Set(arguments).isDisjoint(with: options.map(\.long)))
    }

    @Test("every command accepts what all commands accept")
    func globalOptions() {
        for command in Self.commands { #expect(command.groups.last == .global) }
    }

    @Test("an option means the same in every command, so that it can stand before the command")
    func oneMeaning() throws {
        for option in Self.commands.flatMap(\.allOptions) {
            let first = try #require(CommandSet.all.table.option(long: option.long))
            #expect(first.short == option.short, "--\(option.long)")
            #expect(first.value?.name == option.value?.name, "--\(option.long)")
            #expect(first.value?.completion == option.value?.completion, "--\(option.long)")
            #expect(first.value?.choices == option.value?.choices, "--\(option.long)")
            if let letter = option.short { #expect(CommandSet.all.table.option(short: letter)?.long == option.long) }
        }
    }

    @Test("an option of any command is found, whichever command it is looked for first")
    func lookup() {
        for option in CommandSet.all.table.options {
            for command in [nil] + CommandSet.all.table.names {
                #expect(CommandSet.all.table.option(long: option.long, for: command)?.long == option.long)
                guard let letter = option.short else { continue }
                #expect(CommandSet.all.table.option(short: letter, for: command)?.long == option.long)
            }
        }
    }

    @Test("no letter is a digit or a sign, so that a negative number is not an option")
    func letters() {
        for option in CommandSet.all.table.options {
            if let short = option.short { #expect(short.isASCII && short.isLetter) }
            #expect(option.long.allSatisfy { $0.isASCII && ($0.isLowercase || $0 == "-") })
            #expect(option.long.count > 1)
        }
    }

    @Test("an option that excludes another names one of the same command")
    func exclusions() {
        for command in Self.commands {
            let names = Set(command.allOptions.map(\.long) + command.arguments.map(\.name))
            for excluded in command.allOptions.flatMap(\.excludes) + command.arguments.flatMap(\.excludes) {
                #expect(names.contains(excluded), "\(command.name.rawValue): \(excluded)")
            }
        }
    }

    @Test("every default is a value")
    func defaults() throws {
        for option in Self.commands.flatMap(\.allOptions) {
            guard let text = option.defaultText else { continue }
            let value = try #require(option.value)
            #expect(throws: Never.self, "--\(option.long)") { try value.check(text) }
        }
    }

    @Test("every choice is a value, and a similar word is not")
    func choices() {
        for value in Self.commands.flatMap({ $0.allOptions.compactMap(\.value) + $0.arguments.map(\.value) }) {
            for choice in value.choices { #expect(throws: Never.self) { try value.check(choice.word) } }
            // A profile may also be a characteristic, which the command finds by the names in a file.
            guard !value.choices.isEmpty, value.name != "PROFILE" else { continue }
            #expect(throws: ValueProblem.self) { try value.check("no such word") }
        }
    }

    @Test("every word offered by completion for a format is one")
    func formats() throws {
        let value = try #require(ReadCommand.format.spec.value)
        #expect(!value.completion.words.isEmpty)
        for word in value.completion.words { #expect(throws: Never.self) { try value.check(word) } }
    }

    @Test("only the last argument is repeated, and none follows an optional one")
    func arities() {
        for command in Self.commands {
            for argument in command.arguments.dropLast() { #expect(argument.arity == .one) }
        }
    }

    @Test("summaries are lines in lower case, details are sentences")
    func wording() {
        let summaries =
            Self.commands.map(\.summary) + Self.commands.flatMap { $0.allOptions.map(\.summary) }
            + Self.commands.flatMap { $0.arguments.map(\.summary) }
            + Self.commands.flatMap { $0.examples.map(\.explanation) }
            + CommandSet.all.records.map(\.summary) + CommandSet.all.records.flatMap { $0.allKeys.map(\.meaning) }
        for summary in summaries {
            #expect(!summary.isEmpty && !summary.contains("\n"))
            // Only an abbreviation is in upper case.
            let isLower = summary.first?.isUppercase == false || summary.dropFirst().first?.isUppercase == true
            #expect(!summary.hasSuffix(".") && isLower, "\(summary)")
        }
        let details = Self.commands.flatMap { $0.allOptions.map(\.details) + $0.arguments.map(\.details) }
        for details in details where !details.isEmpty {
            #expect(details.hasSuffix("."), "\(details)")
        }
        let concepts = Concept.all.flatMap { $0.paragraphs + $0.remarks + $0.entries.map(\.text) }
        for paragraph in Self.commands.flatMap(\.discussion) + Program.discussion + concepts {
            #expect(paragraph.hasSuffix(".") || paragraph.hasSuffix(":"), "\(paragraph)")
            #expect(paragraph.count(where: { $0 == "`" }).isMultiple(of: 2), "\(paragraph)")
        }
    }

    @Test("an option is explained in at most two sentences behind its summary")
    func brevity() {
        for command in Self.commands {
            for option in command.allOptions {
                #expect(Troff.sentences(option.details).count <= 2, "--\(option.long)")
            }
            for argument in command.arguments {
                #expect(Troff.sentences(argument.details).count <= 2, "\(command.name.rawValue)")
            }
        }
    }

    @Test("every section that is referred to exists")
    func references() {
        let texts = Self.commands.flatMap { $0.allOptions.map(\.details) + $0.arguments.map(\.details) + $0.discussion }
        for reference in texts.flatMap({ $0.matches(of: /([A-Z][A-Z ]+[A-Z]) in `blectl\(1\)`/) }) {
            let title = reference.output.1.lowercased()
            #expect(CommandSet.all.table.topics.contains { $0.title == title }, "\(title)")
        }
    }

    @Test("every example can be run as it stands")
    func examples() throws {
        for example in Self.commands.flatMap(\.examples) + Program.examples {
            // Words behind a redirection or a pipe, and around a substitution, belong to the shell.
            let words = Self.words(example.line.filter { !"()".contains($0) })
            let start = try #require(words.firstIndex(of: "blectl") ?? words.firstIndex(of: "<blectl"))
            let ends = words[start...].firstIndex { $0 == ">" || $0 == "|" } ?? words.endIndex
            let arguments = Array(words[(start + 1)..<ends])
            #expect(throws: Never.self, "\(example.line)") { try Invocation(arguments) }
        }
    }

    /// The words of a line with single quotes.
    private static func words(_ line: String) -> [String] {
        var words = [""]
        for (index, part) in line.split(separator: "'", omittingEmptySubsequences: false).enumerated() {
            guard index.isMultiple(of: 2) else {
                words[words.count - 1] += part
                continue
            }
            let pieces = part.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
            words[words.count - 1] += pieces[0]
            words += pieces.dropFirst()
        }
        return words.filter { !$0.isEmpty }
    }

    @Test("every command has a summary that fits its line, a discussion and an example")
    func documentation() {
        for command in Self.commands {
            #expect(!command.discussion.isEmpty)
            #expect(!command.examples.isEmpty)
            #expect(!command.seeAlso.contains(command.name.rawValue))
            for other in command.seeAlso {
                let isKnown = Self.commands.contains { $0.name.rawValue == other }
                #expect(isKnown, "\(command.name.rawValue) refers to \(other)")
            }
        }
    }
}
