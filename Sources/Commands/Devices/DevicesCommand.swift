// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Records
import Toolkit

/// `blectl devices`: lists known devices.
struct DevicesCommand: Command {
    static var commandName: CommandName { .devices }
    static let recordSchemas: [RecordSchema] = [KnownDeviceResult.record.schema]
    static let foreignNames = ["known-devices"]

    init(_ arguments: ParsedArguments) throws(UsageError) {
    }

    func action(on found: String?) -> String { "list devices" }

    func run(in context: CommandContext) async throws {
        try await DevicesRun(context: context).run()
    }
}

extension CommandName {
    static var devices: CommandName { CommandName("devices", DevicesCommand.self) }
}
