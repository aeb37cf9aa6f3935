// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Records
import Toolkit

/// `blectl completion`: prints the completion script of a shell.
struct CompletionCommand: Command {
    static var commandName: CommandName { .completion }
    static let recordSchemas: [RecordSchema] = [CompletionResult.record.schema]

    static let shell = Argument(
        required: .choice("SHELL", of: Shell.self),
        summary: "the shell"
    )

    static let spec = CommandSpec(
        commandName,
        [.forItsOutput, .notForShells],
        summary: "print the completion script of a shell",
        discussion: [
            """
            Prints a script by which a shell completes commands, options and names of blectl. At each Tab, the script \
            asks blectl what can stand at the cursor. The scripts are installed with blectl where the shells look for \
            them; this command is for a copy that was not installed.
            """
        ],
        arguments: [shell.spec],
        groups: [.global],
        examples: [
            "source <(blectl completion bash)": "complete in this bash",
            "blectl completion zsh > ~/.zfunc/_blectl": "complete in zsh, with ~/.zfunc in $fpath",
            "blectl completion fish | source": "complete in this fish",
        ]
    )

    let shell: Shell

    init(_ arguments: ParsedArguments) throws(UsageError) {
        shell = arguments[Self.shell]
    }

    func action(on found: String?) -> String { "print the completion script for \(shell.rawValue)" }

    static let stepRefusal: String? = forCommandLine

    static func takesOperand(likeWorld word: String) -> Bool { true }

    func run(in context: CommandContext) async throws {
        try await context.output.emit(CompletionResult(shell: shell, timestamp: Timestamp(context.time)))
    }
}

extension CommandName {
    static var completion: CommandName { CommandName("completion", CompletionCommand.self) }
}
