// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Records
import Terminal

/// `blectl help --json`, as a result. `Invocation` has printed the text form.
struct HelpResult: RecordedResult {
    /// The command, the topic or both; `nil` for blectl as a whole.
    let subject: HelpSubject?
    let table: CommandTable
    let timestamp: Timestamp

    /// The same help as the text, and the parts that a program needs to build command lines.
    static let record = RecordKind<Self>("help", "the documentation of blectl, of a command or of a topic") {
        RecordField("command", orNull: .string, "command; null for blectl as a whole and for a topic") {
            $0.command?.rawValue
        }
        RecordField("summary", .string, "its purpose") {
            $0.command?.spec.summary ?? $0.subject?.topic?.summary ?? Program.summary
        }
        RecordField("usage", .string, "its command line") { $0.usage }
        RecordField("commands", .array(of: .string), "commands of blectl; none for a command or a topic") {
            $0.subject == nil ? $0.table.names.map(\.rawValue) : []
        }
        RecordField("options", .array(of: .object(OptionSpec.record)), "options that it accepts") { $0.options }
        RecordField("text", .string, "all that `blectl help` prints") { $0.text }
    }

    private var command: CommandName? { subject?.command }

    private var text: String { subject?.text(in: table) ?? HelpText(nil, in: table).full() }

    private var options: [OptionSpec] {
        command.map { $0.spec.shownOptions + $0.spec.groups.flatMap(\.options) } ?? table.common
    }

    private var usage: String {
        command.map { "\(Program.name) \($0.rawValue) [OPTIONS]\($0.spec.argumentSynopsis)" }
            ?? "\(Program.name) [OPTIONS] COMMAND [ARGUMENTS]"
    }

    /// The whole help, without its last line feed, which the output adds.
    func text(_ style: TextStyle) -> String? { String(text.dropLast()) }
}

extension OptionSpec {
    @FieldBuilder<OptionSpec>
    fileprivate static var record: [RecordField<OptionSpec>] {
        RecordField("name", .string, "option with its dashes") { "--\($0.long)" }
        RecordField("short", orNull: .string, "its short form") { $0.short.map { "-\($0)" } }
        RecordField("value", orNull: .string, "placeholder of its value; null if it takes none") { $0.value?.name }
        RecordField(
            "choices",
            .array(of: .string),
            "words that its value can be; none for free values"
        ) { ($0.value?.choices ?? []).map(\.word) }
        RecordField("default", orNull: .string, "default value") { $0.defaultText }
        RecordField("summary", .string, "its effect") { Markup.plain($0.summary) }
    }
}

/// `blectl completion --json`, as a result. `Invocation` has printed the text form.
struct CompletionResult: RecordedResult {
    let shell: Shell
    let timestamp: Timestamp

    /// `file` is the name under which the shell looks for the script.
    static let record = RecordKind<Self>("completion", "the completion script of a shell") {
        RecordField("shell", .string, "shell") { $0.shell.rawValue }
        RecordField("file", .string, "name that the shell wants for its file") {
            CompletionScript.fileName(for: $0.shell)
        }
        RecordField("script", .string, "script") { CompletionScript.script(for: $0.shell) }
    }

    /// The script without its last line feed, which the output adds.
    func text(_ style: TextStyle) -> String? { String(CompletionScript.script(for: shell).dropLast()) }
}
