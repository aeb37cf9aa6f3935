// SPDX-License-Identifier: GPL-2.0-or-later

/// `blectl help --json`, as a result. `Invocation` has printed the text form.
struct HelpResult: RecordedResult {
    /// The command; `nil` for blectl as a whole.
    let command: CommandName?
    /// When the help was printed.
    let timestamp: Timestamp

    /// The same help as the text, and the parts that a program needs to build command lines.
    var record: Record {
        let spec = command?.spec
        let options = spec.map { $0.shownOptions + $0.groups.flatMap(\.options) } ?? OptionGroup.global.options
        let commands = command == nil ? CommandName.allCases : []
        let usage =
            spec.map { "\(Program.name) \($0.name.rawValue) [OPTIONS]\($0.argumentSynopsis)" }
            ?? "\(Program.name) [OPTIONS] COMMAND [ARGUMENTS]"
        return Record(
            "help",
            at: timestamp,
            [
                "command": .optional(command?.rawValue),
                "commands": .array(commands.map { .string($0.rawValue) }),
                "options": .array(options.map(\.json)),
                "summary": .string(spec?.summary ?? Program.summary),
                "text": .string(HelpText(command).full()),
                "usage": .string(usage),
            ]
        )
    }

    /// The whole help, without its last line feed, which the output adds.
    func text(_ style: TextStyle) -> String? { String(HelpText(command).full().dropLast()) }
}

extension OptionSpec {
    /// An option as an object. Markup of the summary is removed.
    fileprivate var json: JSONValue {
        .object([
            "choices": .array((value?.choices ?? []).map { .string($0.word) }),
            "default": .optional(defaultText),
            "name": .string("--\(long)"),
            "short": .optional(short.map { "-\($0)" }),
            "summary": .string(Markup.plain(summary)),
            "value": .optional(value?.name),
        ])
    }
}

/// `blectl completion --json`, as a result. `Invocation` has printed the text form.
struct CompletionResult: RecordedResult {
    /// The shell that the script is for.
    let shell: Shell
    /// When the script was printed.
    let timestamp: Timestamp

    /// `file` is the name under which the shell looks for the script.
    var record: Record {
        Record(
            "completion",
            at: timestamp,
            [
                "file": .string(CompletionScript.fileName(for: shell)),
                "script": .string(CompletionScript.script(for: shell)),
                "shell": .string(shell.rawValue),
            ]
        )
    }

    /// The script without its last line feed, which the output adds.
    func text(_ style: TextStyle) -> String? { String(CompletionScript.script(for: shell).dropLast()) }
}
