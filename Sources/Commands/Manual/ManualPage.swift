// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import CommandLineInterface
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
            begin(Program.discussion, Program.examples, &page)
            page.macro("Sh COMMANDS")
            page.list(commands.table.commands, width: "20n", compact: true) { page, command in
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
            write(RecordDocumentation(commands).ofAll, &page)
            page.macro("Sh ENVIRONMENT")
            list(Program.environment, as: "Ev", &page)
            page.macro("Sh FILES")
            list(Program.files, as: "Pa", &page)
            page.macro("Sh EXIT STATUS")
            list(ExitStatus.documentation, as: "Li", width: "128+n", &page)
            list(Program.examples.dropFirst(), &page)
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
            let examples = Self.simulatedFirst(command.examples)
            Self.begin(command.discussion, examples, &page)
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
            Self.refer(to: command.groups, &page)
            page.macro("Sh JSON RECORDS")
            Self.write(RecordDocumentation(commands).parts(of: command.name), &page)
            Self.list(examples.dropFirst(), &page)
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

    private static func list(
        _ entries: [DocumentationEntry],
        as macro: String,
        width: String = "Ds",
        compact: Bool = false,
        _ page: inout Troff
    ) {
        page.list(entries, width: width, compact: compact) { page, entry in
            page.macro("It \(macro) \(Troff.term(entry.term))")
            page.paragraph(entry.text)
            list(entry.entries, as: macro, width: width, compact: compact, &page)
        }
    }

    private static func list(_ examples: ArraySlice<CommandExample>, _ page: inout Troff) {
        guard !examples.isEmpty else { return }
        page.macro("Sh EXAMPLES")
        for (index, example) in examples.enumerated() {
            if index > 0 { page.macro("Pp") }
            show(example, &page)
        }
    }

    private static func show(_ example: CommandExample, _ page: inout Troff) {
        page.paragraph(String(Markup.sentence(example.explanation).dropLast()) + ":")
        page.macro("Pp")
        // Not filled, so that the line can be pasted whole.
        page.macro("Bd -literal -offset indent -compact")
        page.literal(example.line)
        page.macro("Ed")
    }

    /// The examples, with one first that everybody can run.
    private static func simulatedFirst(_ examples: [CommandExample]) -> [CommandExample] {
        guard let index = examples.firstIndex(where: { $0.line.contains(text: " --simulate ") }) else {
            return examples
        }
        return [examples[index]] + examples[..<index] + examples[(index + 1)...]
    }

    /// Writes the description. Its beginning is for somebody who wants to go on: what the command is for, a line to run,
    /// and where to look next.
    private static func begin(_ paragraphs: [String], _ examples: [CommandExample], _ page: inout Troff) {
        page.macro("Sh DESCRIPTION")
        describe(Array(paragraphs.prefix(1)), &page)
        if let example = examples.first {
            page.macro("Pp")
            show(example, &page)
        }
        if examples.count > 1 {
            page.macro("Pp")
            page.paragraph("More lines to run are in EXAMPLES.")
        }
        guard paragraphs.count > 1 else { return }
        page.macro("Pp")
        describe(Array(paragraphs.dropFirst()), &page)
    }

    /// Writes where the options are that the command shares with others, and what else holds for every command.
    private static func refer(to groups: [OptionGroup], _ page: inout Troff) {
        let titles = groups.map { $0.title.uppercased() }
        page.paragraph("`blectl(1)` has \(Prose.list(titles + ["EXIT STATUS"], "and")), and the keys of every record.")
    }

    static func refer(to others: [ManualReference], _ page: inout Troff) {
        let others = ManualReference.sorted(others)
        page.macro("Sh SEE ALSO")
        for other in others {
            page.macro("Xr \(other.title) \(other.section)\(other == others.last ? "" : " ,")")
        }
    }

    // MARK: - Parts

    private static func write(_ parts: [DocumentationPart], _ page: inout Troff) {
        var isBegun = false
        for part in parts {
            switch part {
            case .heading(let title):
                page.macro("Ss \(title)")
                isBegun = false
            case .paragraphs(let paragraphs):
                if isBegun, !paragraphs.isEmpty { page.macro("Pp") }
                describe(paragraphs, &page)
                isBegun = true
            case .entries(let entries):
                if isBegun, !entries.isEmpty { page.macro("Pp") }
                list(entries, as: "Cm", width: "20n", compact: true, &page)
                isBegun = true
            case .options(let options):
                list(options, &page)
                isBegun = true
            }
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
