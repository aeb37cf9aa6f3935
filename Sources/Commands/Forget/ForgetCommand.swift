// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Records
import Toolkit

/// `blectl forget`: forgets what is kept of devices.
struct ForgetCommand: Command {
    static var commandName: CommandName { .forget }
    static let recordSchemas: [RecordSchema] = [ForgottenResult.record.schema]
    static let foreignNames = ["clear-cache"]

    let options: ForgetOptions

    init(_ arguments: ParsedArguments) throws(UsageError) {
        options = try ForgetOptions(arguments)
    }

    func action(on found: String?) -> String {
        switch options {
        case .device(let device): "forget \(device)"
        case .all: "forget all devices"
        }
    }

    var givenNames: [String] { if case .device(.name(let name)) = options { [name] } else { [] } }

    func run(in context: CommandContext) async throws {
        try await ForgetRun(options: options, context: context).run()
    }
}

extension CommandName {
    static var forget: CommandName { CommandName("forget", ForgetCommand.self) }
}
