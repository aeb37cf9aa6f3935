// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Records
import Toolkit

/// `blectl help`: prints help.
struct HelpCommand: Command {
    static var commandName: CommandName { .help }
    static let recordSchemas: [RecordSchema] = [HelpResult.record.schema]

    let subject: HelpSubject?

    init(_ arguments: ParsedArguments) throws(UsageError) {
        subject = arguments[Self.topic]
    }

    func action(on found: String?) -> String { "print the help" }

    static let stepRefusal: String? = forCommandLine

    static func takesOperand(likeWorld word: String) -> Bool { true }

    func run(in context: CommandContext) async throws {
        try await context.output.emit(
            HelpResult(subject: subject, table: context.commands.table, timestamp: Timestamp(context.time))
        )
    }
}

extension CommandName {
    static var help: CommandName { CommandName("help", HelpCommand.self) }
}
