// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Records
import Terminal
import Toolkit

/// `blectl help`: prints help.
struct HelpCommand: Command {
    static var commandName: CommandName { .help }
    static let recordSchemas: [RecordSchema] = [HelpResult.record.schema]

    static let topic = Argument(
        optional: .subject,
        excludes: ["generate"],
        summary: "the command or the topic to explain",
        details: "A command of `blectl(1)`, or a section of the manual; a word may be both."
    )

    static let generate = Option(
        value: "generate",
        .text("FILE"),
        isHidden: true,
        summary: "print a file that is made from this table, or the list of them",
        details: "For the Makefile; `list` prints the names of the files."
    )

    static let jsonSchema = Option(
        flag: "json-schema",
        excludes: ["generate", "json", "format"],
        summary: "print the JSON Schema of the records of --json",
        details: """
            Of all records, or those of one command. Its `$id` has the version: the first number changes when a key \
            goes or changes its meaning, the second when a key or kind of record is added.
            """
    )

    static let complete = Option(
        value: "complete",
        .text("LINE"),
        excludes: ["generate"],
        isHidden: true,
        summary: "print what can stand at the end of a line of a shell",
        details: "For the completion scripts."
    )

    static let spec = CommandSpec(
        commandName,
        [.forItsOutput, .notForShells],
        summary: "explain blectl, one of its commands, or a topic",
        discussion: [
            """
            Prints what `blectl --help` or `blectl COMMAND --help` prints, or with a topic a section of the manual. \
            The pages `blectl(1)` and `blectl-COMMAND(1)` have more.
            """
        ],
        arguments: [topic.spec],
        options: [jsonSchema.spec, generate.spec, complete.spec],
        groups: [.global],
        examples: [
            "blectl help scan": "explain the command scan",
            "blectl help faults": "explain the sentences of --fault",
            "blectl help --json-schema > records.schema.json": "describe all records to a validator",
        ]
    )

    let subject: HelpSubject?

    init(_ arguments: ParsedArguments) throws(UsageError) {
        subject = arguments[Self.topic]
    }

    func action(on found: String?) -> String { "print the help" }

    static let stepRefusal: String? = forCommandLine

    static func takesOperand(likeWorld word: String) -> Bool { true }

    func run(in context: CommandContext) async throws {
        try await context.output.emit(
            HelpResult(subject: subject, table: context.commands.table, timestamp: Timestamp(context.time))
        )
    }
}

extension CommandName {
    static var help: CommandName { CommandName("help", HelpCommand.self) }
}

/// What `blectl help` is asked about.
package struct HelpSubject: Sendable {
    /// The command with the word; `nil` if it is only a topic.
    let command: CommandName?
    let topic: HelpTopic?

    /// The whole help, for a terminal of that many columns.
    func text(in table: CommandTable, width: Int = 80) -> String {
        [command.map { HelpText($0, in: table).full(width: width) }, topic.map { HelpText.explain($0, width: width) }]
            .compactMap(\.self).joined(separator: "\n")
    }
}

extension ValueSyntax where Value == HelpSubject {
    fileprivate static var subject: ValueSyntax {
        ValueSyntax(
            name: "TOPIC",
            choices: {
                CommandSet.all.table.topics.map { Choice(word: $0.word, summary: $0.summary) }
            },
            completion: .command
        ) { text throws(ValueProblem) in
            let table = CommandSet.all.table
            let subject = HelpSubject(command: table.name(text), topic: table.topics.first { $0.word == text })
            guard subject.command == nil, subject.topic == nil else { return subject }
            // A word of a topic's title, such as the `exit` of `exit status`.
            if let topic = table.topics.first(where: { $0.title.split(separator: " ").contains { $0 == text } }) {
                return HelpSubject(command: nil, topic: topic)
            }
            let words = table.topics.map(\.word)
            throw ValueProblem(
                expectation: "expected a command, or a topic: \(Prose.list(words))",
                suggestion: Suggestion.closest(to: text, among: table.names.map(\.rawValue) + words)
            )
        }
    }
}
