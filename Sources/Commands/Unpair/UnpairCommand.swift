// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Records
import Toolkit

/// `blectl unpair`: forgets the keys of devices.
struct UnpairCommand: Command {
    static var commandName: CommandName { .unpair }
    static let recordSchemas: [RecordSchema] = [UnpairedResult.record.schema]
    static let foreignNames = ["remove", "untrust", "unbond"]

    let options: UnpairOptions

    init(_ arguments: ParsedArguments) throws(UsageError) {
        options = try UnpairOptions(arguments)
    }

    func action(on found: String?) -> String {
        switch options {
        case .device(let device): "unpair \(device)"
        case .all: "unpair all devices"
        }
    }

    var givenNames: [String] { if case .device(.name(let name)) = options { [name] } else { [] } }

    func run(in context: CommandContext) async throws {
        try await UnpairRun(options: options, context: context).run()
    }
}

extension CommandName {
    static var unpair: CommandName { CommandName("unpair", UnpairCommand.self) }
}
