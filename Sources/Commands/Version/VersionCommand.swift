// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Records
import Toolkit

/// `blectl version`: prints the version.
struct VersionCommand: Command {
    static var commandName: CommandName { .version }
    static let recordSchemas: [RecordSchema] = [VersionResult.record.schema]

    init(_ arguments: ParsedArguments) throws(UsageError) {
    }

    func action(on found: String?) -> String { "print the version" }

    static let stepRefusal: String? = forCommandLine

    static func takesOperand(likeWorld word: String) -> Bool { true }

    func run(in context: CommandContext) async throws {
        // `Invocation` has printed the text form.
        try await context.output.emit(VersionResult(timestamp: Timestamp(context.time)))
    }
}

extension CommandName {
    static var version: CommandName { CommandName("version", VersionCommand.self) }
}
