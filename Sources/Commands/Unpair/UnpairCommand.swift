// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Records
import Toolkit

/// `blectl unpair`: forgets the keys of devices.
struct UnpairCommand: Command {
    static var commandName: CommandName { .unpair }
    static let recordSchemas: [RecordSchema] = [UnpairedResult.record.schema]
    static let foreignNames = ["remove", "untrust", "unbond"]

    let chosen: DeviceOrAll

    init(_ arguments: ParsedArguments) throws(UsageError) {
        chosen = try DeviceOrAll(arguments, Self.device, Self.all)
    }

    func action(on found: String?) -> String { "unpair \(chosen.text)" }

    var givenNames: [String] { chosen.givenNames }

    func run(in context: CommandContext) async throws {
        try await UnpairRun(chosen: chosen, context: context).run()
    }
}

extension CommandName {
    static var unpair: CommandName { CommandName("unpair", UnpairCommand.self) }
}
