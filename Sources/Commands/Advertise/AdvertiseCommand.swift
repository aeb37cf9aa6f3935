// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Records
import Toolkit

/// `blectl advertise`: sends advertisements.
struct AdvertiseCommand: Command {
    static var commandName: CommandName { .advertise }
    static let recordSchemas = [
        PrivateAddressResult.record.schema, ConnectedResult.record.schema, DisconnectedResult.record.schema,
        AdvertisingResult.record.schema,
    ]
    static let foreignNames = ["leadv", "beacon", "broadcast", "adv", "add-adv", "ibeacon", "eddystone", "altbeacon"]

    let options: AdvertiseOptions

    init(_ arguments: ParsedArguments) throws(UsageError) {
        options = try AdvertiseOptions(arguments)
    }

    var limits: StopLimits? { options.limits }

    static func takesOperand(likeWorld word: String) -> Bool { true }

    func run(in context: CommandContext) async throws {
        try await AdvertiseRun(options: options, context: context).run()
    }
}

extension CommandName {
    static var advertise: CommandName { CommandName("advertise", AdvertiseCommand.self) }
}
