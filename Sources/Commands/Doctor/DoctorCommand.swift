// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Records
import Toolkit

/// `blectl doctor`: finds out why Bluetooth does not work.
struct DoctorCommand: Command {
    static var commandName: CommandName { .doctor }
    static let recordSchemas: [RecordSchema] = [FindingResult.record.schema, VerdictResult.record.schema]
    static let foreignNames = ["diagnose", "troubleshoot", "status", "why"]

    init(_ arguments: ParsedArguments) throws(UsageError) {
    }

    func action(on found: String?) -> String { "examine this machine" }

    static let stepRefusal: String? = forCommandLine

    func run(in context: CommandContext) async throws {
        try await DoctorRun(context: context).run()
    }
}

extension CommandName {
    static var doctor: CommandName { CommandName("doctor", DoctorCommand.self) }
}
