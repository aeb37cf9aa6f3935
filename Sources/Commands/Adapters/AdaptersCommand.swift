// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Records
import Toolkit

/// `blectl adapters`: lists the adapters.
struct AdaptersCommand: Command {
    static var commandName: CommandName { .adapters }
    static let recordSchemas: [RecordSchema] = [AdapterResult.record.schema]
    static let foreignNames = ["controllers", "hciconfig", "dev", "show"]

    init(_ arguments: ParsedArguments) throws(UsageError) {
    }

    func action(on found: String?) -> String { "list adapters" }

    func run(in context: CommandContext) async throws {
        try await AdaptersRun(context: context).run()
    }
}

extension CommandName {
    static var adapters: CommandName { CommandName("adapters", AdaptersCommand.self) }
}
