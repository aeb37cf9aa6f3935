// SPDX-License-Identifier: GPL-2.0-or-later

/// The text of `-h` and `--help`, for a command or for blectl.
package struct HelpText: Sendable {
    package enum Length: Sendable {
        /// One screen: `-h`.
        case short
        /// Everything: `--help`.
        case full
    }

    /// The command; `nil` for blectl as a whole.
    package let command: CommandName?

    private let table: CommandTable

    /// Creates the help for a command, or for blectl if the command is `nil`.
    package init(_ command: CommandName?, in table: CommandTable) {
        self.command = command
        self.table = table
    }

    /// The short help, for a terminal of that many columns. With 80 it fits one screen.
    package func short(width: Int = 80) -> String {
        var layout = TextLayout(width: width)
        if let spec = command?.spec {
            begin(&layout, spec)
            if !spec.arguments.isEmpty {
                layout.heading("arguments")
                layout.table(spec.arguments.map { ($0.synopsis, Markup.plain($0.summary)) })
            }
            let folded = spec.purpose?.options.map(\.long) ?? []
            summarize(spec.shownOptions.filter { !folded.contains($0.long) }, titled: "options", &layout)
            if let (name, options) = spec.purpose {
                layout.paragraph("\(name): \(options.map(\.synopsis).joined(separator: ", "))", indent: 2)
            }
            // The link options of other commands would not fit one screen beside the rest.
            for group in spec.groups {
                switch group.screen {
                case .only(let trait, _) where !spec.traits.contains(trait): continue
                case .ofEach, .only: summarize(group.options, titled: group.title, &layout)
                case .ofProgram: continue
                }
            }
            layout.gap()
            layout.paragraph(Self.closing(spec))
        } else {
            begin(&layout)
            summarizeCommonCommands(&layout)
            summarize(table.common.filter { !table.unusual.contains($0.long) }, titled: "options", &layout)
            layout.gap()
            layout.paragraph("About a command: blectl COMMAND -h. In detail: blectl --help.")
        }
        return layout.text
    }

    /// The last line of the short help of a command. It says where to find the options for which one screen has no
    /// room: the link options are in the short help of `link`, and those of every command in the short help of blectl.
    private static func closing(_ spec: CommandSpec) -> String {
        let hidden = spec.groups.compactMap { group in
            if case .only(let trait, let owner) = group.screen, !spec.traits.contains(trait) { owner } else { nil }
        }
        let places = (hidden.map { "blectl \($0) -h" } + ["blectl -h"]).joined(separator: " and ")
        return "More options: \(places). In detail: blectl \(spec.name.rawValue) --help."
    }

    /// The complete help, for a terminal of that many columns.
    package func full(width: Int = 80) -> String {
        var layout = TextLayout(width: width)
        if let spec = command?.spec {
            explain(spec, &layout)
        } else {
            explainProgram(&layout)
        }
        return layout.text
    }

    // MARK: - Headers

    private func begin(_ layout: inout TextLayout, _ spec: CommandSpec) {
        layout.paragraph("\(Program.name) \(spec.name.rawValue) - \(spec.summary)")
        layout.gap()
        layout.paragraph("usage: \(Program.name) \(spec.name.rawValue) [OPTIONS]\(spec.argumentSynopsis)")
    }

    private func begin(_ layout: inout TextLayout) {
        layout.paragraph("\(Program.name) - \(Program.summary)")
        layout.gap()
        layout.paragraph("usage: \(Program.name) [OPTIONS] COMMAND [ARGUMENTS]")
    }

    // MARK: - Short

    private func summarizeCommonCommands(_ layout: inout TextLayout) {
        layout.heading("common commands")
        let commands = table.commands
        layout.table(commands.filter { $0.traits.contains(.common) }.map { ($0.name.rawValue, $0.summary) })
        layout.heading("more commands")
        let others = commands.filter { !$0.traits.contains(.common) }.map(\.name)
        layout.paragraph(others.map(\.rawValue).joined(separator: ", "), indent: 2)
    }

    private func summarizeCommands(_ layout: inout TextLayout) {
        layout.heading("commands")
        layout.table(table.commands.map { ($0.name.rawValue, $0.summary) })
    }

    private func summarize(_ options: [OptionSpec], titled title: String, _ layout: inout TextLayout) {
        guard !options.isEmpty else { return }
        layout.heading(title)
        layout.table(options.map { ($0.term(indentingLong: true), Markup.plain($0.summary)) })
    }

    // MARK: - Full

    private func explain(_ spec: CommandSpec, _ layout: inout TextLayout) {
        begin(&layout, spec)
        explain(spec.discussion, &layout)
        if !spec.arguments.isEmpty {
            layout.heading("arguments")
            for argument in spec.arguments {
                layout.definition(argument.synopsis, Markup.plain(argument.description))
                explain(argument.value.choices, &layout)
            }
        }
        explain(spec.shownOptions, titled: "options", &layout)
        for group in spec.groups { explain(group.options, titled: group.title, &layout) }
        explain(spec.examples, &layout)
        layout.heading("see also")
        layout.paragraph(spec.related.map(\.text).joined(separator: ", "), indent: 2)
    }

    private func explainProgram(_ layout: inout TextLayout) {
        begin(&layout)
        explain(Program.discussion, &layout)
        summarizeCommands(&layout)
        for concept in Concept.all { explain(concept, &layout) }
        for group in table.groups { explain(group.options, titled: group.title, &layout) }
        layout.heading("environment")
        for entry in Program.environment { layout.definition(entry.term, Markup.plain(entry.text)) }
        layout.heading("files")
        for entry in Program.files { layout.definition(entry.term, Markup.plain(entry.text)) }
        layout.heading("exit status")
        layout.table(ExitStatus.documentation.map { ($0.term, $0.text) })
        explain(Program.examples, &layout)
    }

    private func explain(_ concept: Concept, _ layout: inout TextLayout) {
        layout.heading(concept.title)
        for (index, paragraph) in concept.paragraphs.enumerated() {
            if index > 0 { layout.gap() }
            layout.paragraph(Markup.plain(paragraph), indent: 2)
        }
        for entry in concept.entries { layout.definition(entry.term, Markup.plain(entry.text)) }
        for paragraph in concept.remarks {
            layout.gap()
            layout.paragraph(Markup.plain(paragraph), indent: 2)
        }
    }

    private func explain(_ paragraphs: [String], _ layout: inout TextLayout) {
        for paragraph in paragraphs {
            layout.gap()
            layout.paragraph(Markup.plain(paragraph))
        }
    }

    private func explain(_ options: [OptionSpec], titled title: String, _ layout: inout TextLayout) {
        guard !options.isEmpty else { return }
        layout.heading(title)
        for option in options {
            layout.definition(option.term(), Markup.plain(option.description))
            explain(option.value?.choices ?? [], &layout)
        }
    }

    private func explain(_ choices: [Choice], _ layout: inout TextLayout) {
        layout.table(choices.map { ($0.word, Markup.plain($0.summary)) }, indent: 8)
    }

    private func explain(_ examples: [CommandExample], _ layout: inout TextLayout) {
        layout.heading("examples")
        for example in examples {
            layout.line(example.line, indent: 2)
            layout.paragraph(Markup.sentence(example.explanation), indent: 6)
        }
    }
}

extension ExitStatus {
    /// The exit statuses with their meanings, and the rule for signals.
    package static var documentation: [DocumentationEntry] {
        allCases.map { DocumentationEntry(String($0.rawValue), $0.meaning) } + [
            DocumentationEntry("128+n", "blectl was ended by signal n, which it raises again after cleaning up.")
        ]
    }
}
