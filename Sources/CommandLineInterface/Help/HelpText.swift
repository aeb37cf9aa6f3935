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
        guard let spec = command?.spec else {
            summarizeProgram(&layout)
            return layout.text
        }
        begin(&layout, spec)
        if !spec.arguments.isEmpty {
            layout.heading("arguments")
            layout.table(spec.arguments.map { ($0.synopsis, Markup.plain($0.summary)) })
        }
        for argument in spec.arguments { summarize(argument.value.choices, of: argument, &layout) }
        let folded = spec.purpose?.options.map(\.long) ?? []
        summarize(spec.shownOptions.filter { !folded.contains($0.long) }, titled: "options", &layout)
        if let (name, options) = spec.purpose {
            list(name, options.map(\.synopsis), indent: 2, &layout)
        }
        let groups = sharedGroups(of: spec)
        if !groups.isEmpty {
            let words = groups.map(\.word).joined(separator: ", ")
            layout.heading("\(groups.map(\.title).joined(separator: ", ")) (blectl help \(words))")
            let options = groups.flatMap(\.options)
            // The one with a letter is the one that everybody types.
            layout.table(options.filter { $0.short != nil }.map { ($0.term(), Markup.plain($0.summary)) })
            layout.items(options.filter { $0.short == nil }.map { "--\($0.long)" }, indent: 2)
        }
        layout.gap()
        layout.paragraph("More options: blectl help options. In detail: blectl \(spec.name.rawValue) --help.")
        return layout.text
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

    /// What `blectl help TOPIC` prints, for a terminal of that many columns.
    package static func explain(_ topic: HelpTopic, width: Int = 80) -> String {
        var layout = TextLayout(width: width)
        layout.paragraph("\(topic.title) - \(topic.summary)")
        for part in topic.parts() {
            layout.gap()
            switch part {
            case .heading(let title): layout.heading(title)
            case .paragraphs(let paragraphs): explain(paragraphs, &layout)
            case .entries(let entries): explain(entries, &layout)
            case .options(let options): explain(options, &layout)
            }
        }
        layout.gap()
        layout.paragraph("In the manual: \(topic.place).")
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

    /// The groups of options that the command shares with some others, and not with all.
    private func sharedGroups(of spec: CommandSpec) -> [OptionGroup] { spec.groups.filter { $0 != table.groups.last } }

    // MARK: - Short

    private func summarizeProgram(_ layout: inout TextLayout) {
        begin(&layout)
        layout.heading("common commands")
        let commands = table.commands
        layout.table(commands.filter { $0.traits.contains(.common) }.map { ($0.name.rawValue, $0.summary) })
        layout.gap()
        let others = commands.filter { !$0.traits.contains(.common) }.map(\.name.rawValue)
        list("others", others, &layout)
        let options = table.common.filter { !table.unusual.contains($0.long) }
        list("options", options.map { option in option.short.map { "-\($0)" } ?? option.synopsis }, &layout)
        // The options of some commands are topics that their own help names.
        let named = table.groups.dropLast().map(\.word)
        list("topics", table.topics.map(\.word).filter { !named.contains($0) }, &layout)
        layout.gap()
        layout.paragraph("About one: blectl COMMAND -h, blectl help TOPIC. In detail: blectl --help.")
    }

    /// Adds a line, or a few, with a name and items.
    private func list(_ name: String, _ items: [String], indent: Int = 0, _ layout: inout TextLayout) {
        layout.items(["\(name): \(items.first ?? "")"] + items.dropFirst(), indent: indent)
    }

    private func summarize(_ choices: [Choice], of argument: ArgumentSpec, _ layout: inout TextLayout) {
        guard !choices.isEmpty else { return }
        layout.heading("\(argument.name.lowercased())s")
        if choices.count <= Choice.mostExplained {
            layout.table(choices.map { ($0.word, Markup.plain($0.summary)) })
        } else {
            layout.items(choices.map(\.word), indent: 2)
        }
    }

    private func summarize(_ options: [OptionSpec], titled title: String, _ layout: inout TextLayout) {
        guard !options.isEmpty else { return }
        layout.heading(title)
        layout.table(options.map { ($0.term(indentingLong: true), Markup.plain($0.summary)) })
    }

    // MARK: - Full

    private func explain(_ spec: CommandSpec, _ layout: inout TextLayout) {
        begin(&layout, spec)
        Self.explain(spec.discussion, &layout)
        if !spec.arguments.isEmpty {
            layout.heading("arguments")
            for argument in spec.arguments {
                layout.definition(argument.synopsis, Markup.plain(argument.description))
                Self.explain(argument.value.choices, &layout)
            }
        }
        if !spec.shownOptions.isEmpty {
            layout.heading("options")
            Self.explain(spec.shownOptions, &layout)
        }
        for group in sharedGroups(of: spec) {
            layout.heading("\(group.title) (blectl help \(group.word))")
            layout.items(group.options.map { $0.term() }, indent: 2)
        }
        explain(spec.examples, &layout)
        layout.gap()
        layout.paragraph(Self.closing)
        layout.heading("see also")
        layout.paragraph(spec.related.map(\.text).joined(separator: ", "), indent: 2)
    }

    /// The line that leads to the options of every command.
    private static let closing = "Options of every command: blectl help options."

    private func explainProgram(_ layout: inout TextLayout) {
        begin(&layout)
        Self.explain(Program.discussion, &layout)
        layout.heading("commands (blectl help COMMAND)")
        layout.table(table.commands.map { ($0.name.rawValue, $0.summary) })
        layout.heading("topics (blectl help TOPIC)")
        layout.table(table.topics.map { ($0.word, Markup.plain($0.summary)) })
        explain(Program.examples, &layout)
        layout.gap()
        layout.paragraph(Self.closing)
    }

    private static func explain(_ paragraphs: [String], _ layout: inout TextLayout) {
        for paragraph in paragraphs {
            layout.gap()
            layout.paragraph(Markup.plain(paragraph))
        }
    }

    /// The longest terms that have their texts beside them.
    private static let widestTerm = 24

    private static func explain(_ entries: [DocumentationEntry], indent: Int = 2, _ layout: inout TextLayout) {
        let rows = entries.map { (term: Markup.plain($0.term), text: Markup.plain($0.text)) }
        if entries.allSatisfy(\.entries.isEmpty), rows.allSatisfy({ $0.term.utf8.count <= widestTerm }) {
            return layout.table(rows, indent: indent)
        }
        for entry in entries {
            layout.definition(Markup.plain(entry.term), Markup.plain(entry.text), indent: indent)
            explain(entry.entries, indent: indent + 4, &layout)
        }
    }

    private static func explain(_ options: [OptionSpec], _ layout: inout TextLayout) {
        for option in options {
            layout.definition(option.term(), Markup.plain(option.description))
            explain(option.value?.choices ?? [], &layout)
        }
    }

    private static func explain(_ choices: [Choice], _ layout: inout TextLayout) {
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
