// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Records
import Toolkit

/// `blectl completion`: prints the completion script of a shell.
struct CompletionCommand: Command {
    static var commandName: CommandName { .completion }
    static let recordSchemas: [RecordSchema] = [CompletionResult.record.schema]

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
