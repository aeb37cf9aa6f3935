// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Records
import Toolkit

/// `blectl simulate`: keeps a simulated world alive, and changes it.
struct SimulateCommand: Command {
    static let commandName = CommandName.simulate
    static let recordSchemas: [RecordSchema] = [
        WorldResult.record.schema,
        WorldDeviceResult.record.schema,
        WorldAdapterResult.record.schema,
    ]

    let options: SimulateOptions

    init(_ arguments: ParsedArguments) throws(UsageError) {
        options = try SimulateOptions(arguments)
    }

    func action(on found: String?) -> String { options.text }

    /// A world is kept alive until it is interrupted.
    var limits: StopLimits? { if case .serve = options.action { StopLimits() } else { nil } }

    static let stepRefusal: String? = "it goes on until it is interrupted: run it beside the script"

    static func takesOperand(likeWorld word: String) -> Bool { true }

    func run(in context: CommandContext) async throws {
        try await SimulateRun(options: options, context: context).run()
    }
}

extension CommandName {
    static let simulate = CommandName("simulate", SimulateCommand.self)
}
