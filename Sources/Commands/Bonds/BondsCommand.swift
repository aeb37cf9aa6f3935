// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Records
import Toolkit

/// `blectl bonds`: lists bonds.
struct BondsCommand: Command {
    static var commandName: CommandName { .bonds }
    static let recordSchemas: [RecordSchema] = [BondResult.record.schema]
    static let foreignNames = ["paired-devices", "keys"]

    let isRevealed: Bool

    init(_ arguments: ParsedArguments) throws(UsageError) {
        isRevealed = arguments[Self.revealKeys]
    }

    func action(on found: String?) -> String { "list bonds" }

    func run(in context: CommandContext) async throws {
        try await BondsRun(isRevealed: isRevealed, context: context).run()
    }
}

extension CommandName {
    static var bonds: CommandName { CommandName("bonds", BondsCommand.self) }
}
