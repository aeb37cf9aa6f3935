// SPDX-License-Identifier: GPL-2.0-or-later

/// `blectl help --json`, as a result. `Invocation` has printed the text form.
struct HelpResult: RecordedResult {
    /// The command; `nil` for blectl as a whole.
    let command: CommandName?
    let timestamp: Timestamp

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

    func text(_ style: TextStyle) -> String? { String(HelpText(command).full().dropLast()) }
}

extension OptionSpec {
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
    let shell: Shell
    let timestamp: Timestamp

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

    func text(_ style: TextStyle) -> String? { String(CompletionScript.script(for: shell).dropLast()) }
}
