// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Records
import Toolkit

/// `blectl adapter`: shows and changes the settings of an adapter.
struct AdapterCommand: Command {
    static var commandName: CommandName { .adapter }
    static let recordSchemas: [RecordSchema] = [AdapterResult.record.schema]

    let options: AdapterOptions

    init(_ arguments: ParsedArguments) throws(UsageError) {
        options = try AdapterOptions(arguments)
    }

    func action(on found: String?) -> String {
        switch options {
        case .show: "show the settings of the adapter"
        case .power: "switch the adapter on or off"
        case .lowEnergy: "switch Low Energy on or off"
        case .reset: "reset the adapter"
        }
    }

    func run(in context: CommandContext) async throws {
        try await AdapterRun(options: options, context: context).run()
    }
}

extension CommandName {
    static var adapter: CommandName { CommandName("adapter", AdapterCommand.self) }
}
