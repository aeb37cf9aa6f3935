// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Toolkit

extension HelpCommand {
    static let topic = Argument(
        optional: .command,
        excludes: ["generate"],
        summary: "the command to explain"
    )

    static let generate = Option(
        value: "generate",
        .text("FILE"),
        isHidden: true,
        summary: "print a file that is made from this table, or the list of them",
        details: "The Makefile writes `man/` with it: `list` prints the names of the files."
    )

    static let jsonSchema = Option(
        flag: "json-schema",
        excludes: ["generate", "json", "format"],
        summary: "print the JSON Schema of the records of --json",
        details: """
            Of all records, or of those of one command. Its `$id` has the version: the first number changes when a key \
            goes or changes its meaning, the second when a key or a kind of record is added.
            """
    )

    static let complete = Option(
        value: "complete",
        .text("LINE"),
        excludes: ["generate"],
        isHidden: true,
        summary: "print what can stand at the end of a line of a shell",
        details: "The completion scripts ask with it."
    )

    static let spec = CommandSpec(
        commandName,
        [.common, .forItsOutput, .notForShells],
        summary: "explain blectl or one of its commands",
        discussion: [
            """
            Prints what `blectl --help` prints, or with a command what `blectl COMMAND --help` prints. The manual \
            pages `blectl(1)` and `blectl-COMMAND(1)` have the same and more.
            """
        ],
        arguments: [topic.spec],
        options: [jsonSchema.spec, generate.spec, complete.spec],
        groups: [.global],
        examples: [
            CommandExample("blectl help scan", "explain the command scan"),
            CommandExample("blectl help --json-schema > records.schema.json", "describe all records to a validator"),
        ]
    )
}

extension ValueSyntax where Value == CommandName {
    fileprivate static var command: ValueSyntax {
        .choice("COMMAND") {
            CommandSet.all.table.names.map { ($0.rawValue, $0.spec.summary, $0) }
        }
    }
}
