// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Records
import Terminal
import Toolkit

/// A manual page in `mdoc(7)`, for a command or for blectl. `ManualSource` is for the others.
struct ManualPage {
    /// The title and the section of the manual.
    let reference: ManualReference
    /// The summary that `whatis(1)` shows.
    let summary: String
    /// Writes the page after the name and the synopsis. It runs only for the requested page.
    let body: @Sendable (inout Troff) -> Void

    var fileName: String { reference.fileName }

    /// `blectl(1)`
    static func program(_ commands: CommandSet) -> ManualPage {
        ManualPage(reference: .program, summary: Program.summary) { page in
            page.macro("Op Ar OPTION ...")
            page.macro("Ar COMMAND")
            page.macro("Op Ar ARGUMENT ...")
            page.macro("Sh DESCRIPTION")
            describe(Program.discussion, &page)
            page.macro("Sh COMMANDS")
            page.list(commands.table.commands) { page, command in
                page.macro("It Xr \(Program.name)-\(command.name.rawValue) 1")
                page.paragraph(Markup.sentence(command.summary))
            }
            for concept in Concept.all { explain(concept, &page) }
            for group in commands.table.groups {
                page.macro("Sh \(group.title.uppercased())")
                page.paragraph(group.introduction)
                list(group.options, &page)
            }
            page.macro("Sh JSON RECORDS")
            summarizeRecords(commands, &page)
            page.macro("Sh ENVIRONMENT")
            list(Program.environment, as: "Ev", &page)
            page.macro("Sh FILES")
            list(Program.files, as: "Pa", &page)
            page.macro("Sh EXIT STATUS")
            list(ExitStatus.documentation, as: "Li", &page)
            list(Program.examples, &page)
            let pages =
                commands.table.names.map { ManualReference(command: $0.rawValue) }
                + SharedPage.allCases.map(\.reference)
            refer(to: pages, &page)
        }
    }

    /// The page of a command: `blectl-scan(1)`.
    init(of command: CommandSpec, in commands: CommandSet) {
        self.init(reference: ManualReference(command: command.name.rawValue), summary: command.summary) { page in
            page.macro("Cm \(command.name.rawValue)")
            page.macro("Op Ar OPTION ...")
            for argument in command.arguments { page.macro(argument.macro) }
            page.macro("Sh DESCRIPTION")
            Self.describe(command.discussion, &page)
            if !command.arguments.isEmpty {
                page.macro("Sh ARGUMENTS")
                page.list(command.arguments) { page, argument in
                    page.macro("It Ar \(argument.name)")
                    page.paragraph(argument.description)
                    Self.list(argument.value.choices, &page)
                }
            }
            page.macro("Sh OPTIONS")
            Self.list(command.shownOptions, &page)
            if !command.shownOptions.isEmpty { page.macro("Pp") }
            page.paragraph(
                (command.shownOptions.isEmpty ? "Those of every command" : "Those of every command are accepted, too")
                    + "; `blectl(1)` has them."
            )
            for group in command.groups where group != .global {
                page.macro("Sh \(group.title.uppercased())")
                Self.list(group.options, &page)
            }
            Self.describe(commands.records(of: command.name), &page)
            page.macro("Sh EXIT STATUS")
            page.paragraph("The exit statuses are the same for all commands; `blectl(1)` has the table.")
            Self.list(command.examples, &page)
            Self.refer(to: command.related, &page)
        }
    }

    private init(reference: ManualReference, summary: String, body: @escaping @Sendable (inout Troff) -> Void) {
        self.reference = reference
        self.summary = summary
        self.body = body
    }

    var text: String {
        var page = Troff()
        Self.begin(reference, &page)
        page.macro("Nd \(summary)")
        page.macro("Sh SYNOPSIS")
        page.macro("Nm \(Program.name)")
        body(&page)
        return page.text
    }

    // MARK: - Sections

    /// Writes everything up to the name.
    static func begin(_ reference: ManualReference, _ page: inout Troff) {
        page.comment("SPDX-License-Identifier: GPL-2.0-or-later")
        page.comment(Program.notice)
        page.macro("Dd \(Program.manualDate)")
        page.macro("Dt \(reference.title.uppercased()) \(reference.section)")
        page.macro("Os \(Program.name) \(Program.version)")
        page.macro("Sh NAME")
        page.macro("Nm \(reference.title)")
    }

    static func describe(_ paragraphs: [String], _ page: inout Troff) {
        for (index, paragraph) in paragraphs.enumerated() {
            if index > 0 { page.macro("Pp") }
            page.paragraph(paragraph)
        }
    }

    private static func explain(_ concept: Concept, _ page: inout Troff) {
        page.macro("Sh \(concept.title.uppercased())")
        describe(concept.paragraphs, &page)
        list(concept.entries, as: "Cm", &page)
        guard !concept.remarks.isEmpty else { return }
        page.macro("Pp")
        describe(concept.remarks, &page)
    }

    private static func list(_ options: [OptionSpec], _ page: inout Troff) {
        page.list(options) { page, option in
            page.macro(option.macro)
            page.paragraph(option.description)
            list(option.value?.choices ?? [], &page)
        }
    }

    private static func list(_ choices: [Choice], _ page: inout Troff) {
        guard !choices.isEmpty else { return }
        page.macro("Pp")
        page.list(choices, width: "non-resolvable", compact: true) { page, choice in
            page.macro("It Cm \(Troff.typed(choice.word))")
            page.paragraph(Markup.sentence(choice.summary))
        }
    }

    private static func list(_ entries: [DocumentationEntry], as macro: String, _ page: inout Troff) {
        page.list(entries) { page, entry in
            page.macro("It \(macro) \(Troff.term(entry.term))")
            page.paragraph(entry.text)
        }
    }

    private static func list(_ examples: [CommandExample], _ page: inout Troff) {
        page.macro("Sh EXAMPLES")
        for (index, example) in examples.enumerated() {
            if index > 0 { page.macro("Pp") }
            page.paragraph(String(Markup.sentence(example.explanation).dropLast()) + ":")
            page.macro("Pp")
            // Not filled, so that the line can be pasted whole.
            page.macro("Bd -literal -offset indent -compact")
            page.literal(example.line)
            page.macro("Ed")
        }
    }

    /// Writes the section that names other pages.
    static func refer(to others: [ManualReference], _ page: inout Troff) {
        let others = ManualReference.sorted(others)
        page.macro("Sh SEE ALSO")
        for other in others {
            page.macro("Xr \(other.title) \(other.section)\(other == others.last ? "" : " ,")")
        }
    }

    // MARK: - Records

    private static func summarizeRecords(_ commands: CommandSet, _ page: inout Troff) {
        page.paragraph(
            """
            With `--json` each line of standard output is one object. Its keys are sorted, and every record of a \
            kind has all of its keys, with null for those that are unknown or do not apply. Every record has these:
            """
        )
        list(RecordSchema.commonKeys, &page)
        page.macro("Pp")
        page.paragraph(
            """
            With `--timing` the records of the commands that scan or connect have one more member. It counts from the \
            beginning of the command until the record; in `script-step` it counts what passes from the beginning of the step to \
            its end, and in a line of `shell` what passes meanwhile on the link that the line uses:
            """
        )
        list([RecordSchema.timing], &page)
        page.macro("Pp")
        page.paragraph(
            """
            `blectl help --json-schema` prints the JSON Schema of all records, with its version; `blectl version \
            --json` has the version as `record_schema`.
            """
        )
        page.macro("Pp")
        page.paragraph("The other keys depend on the kind, and are described with the command that prints it:")
        page.list(commands.records.filter { !$0.isCommon }) { page, record in
            page.macro("It Cm \(record.type)")
            let pages = commands.commands(printing: record).map { "`\(Program.name)-\($0.rawValue)(1)`" }
            page.paragraph("\(Markup.sentence(record.summary)) See \(Prose.list(pages, "and")).")
        }
        page.macro("Pp")
        page.paragraph(
            """
            Every command can fail, and then prints one more kind, beside the text on standard error: one record for \
            each failure. A failure of the whole command is its last record. A command that a signal has ended prints \
            none.
            """
        )
        describe(.error, &page)
        page.macro("Ss Lines by a template")
        describe(Program.templates, &page)
    }

    private static func describe(_ records: [RecordSchema], _ page: inout Troff) {
        page.macro("Sh JSON RECORDS")
        page.paragraph("Every record also has the keys that `blectl(1)` describes, and so has the record of a failure.")
        for record in records where !record.isCommon { describe(record, &page) }
    }

    private static func describe(_ record: RecordSchema, _ page: inout Troff) {
        page.macro("Ss \(record.type)")
        page.paragraph(Markup.sentence(record.summary))
        list(record.keys, &page)
    }

    private static func list(_ keys: [RecordKey], _ page: inout Troff) {
        page.list(keys) { page, key in
            page.macro("It Cm \(key.name) No (\(key.type.description)\(key.isNullable ? " or null" : ""))")
            page.paragraph(Markup.sentence(key.meaning))
            list(key.type.keys, &page)
        }
    }
}

extension OptionSpec {
    /// The option as the head of a list item.
    fileprivate var macro: String {
        let letter = short.map { "Fl \($0) , " } ?? ""
        let isOptional = kind == .optionalValue
        let argument = value.map { "\(isOptional ? " Ns Op = Ns" : "") Ar \(Troff.typed($0.name))" } ?? ""
        return "It \(letter)Fl \(Troff.typed("-\(long)"))\(argument)"
    }
}

extension ArgumentSpec {
    /// The argument in the synopsis.
    fileprivate var macro: String {
        switch arity {
        case .one: "Ar \(name)"
        case .optional: "Op Ar \(name)"
        case .any: "Op Ar \(name) ..."
        case .oneOrMore: "Ar \(name) ..."
        }
    }
}
