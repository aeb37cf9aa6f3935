// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Records
import Toolkit

/// `blectl forget`: forgets what is kept of devices.
struct ForgetCommand: Command {
    static var commandName: CommandName { .forget }
    static let recordSchemas: [RecordSchema] = [ForgottenResult.record.schema]
    static let foreignNames = ["clear-cache"]

    let chosen: DeviceOrAll

    init(_ arguments: ParsedArguments) throws(UsageError) {
        chosen = try DeviceOrAll(arguments, Self.device, Self.all)
    }

    func action(on found: String?) -> String { "forget \(chosen.text)" }

    var givenNames: [String] { chosen.givenNames }

    func run(in context: CommandContext) async throws {
        try await ForgetRun(chosen: chosen, context: context).run()
    }
}

extension CommandName {
    static var forget: CommandName { CommandName("forget", ForgetCommand.self) }
}
