// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost
import CommandLineInterface
import Records
import Toolkit

/// `blectl simulate`: keeps a simulated world alive, and changes it.
struct SimulateCommand: Command {
    static var commandName: CommandName { .simulate }
    static let recordSchemas: [RecordSchema] = [
        WorldResult.record.schema,
        WorldDeviceResult.record.schema,
        WorldAdapterResult.record.schema,
        WorldFaultResult.record.schema,
    ]

    let options: SimulateOptions

    init(_ arguments: ParsedArguments) throws(UsageError) {
        options = try SimulateOptions(arguments)
    }

    func action(on found: String?) -> String { options.text }

    var askedWorld: String? { if case .serve = options.action { nil } else { options.socket } }

    /// A world is kept alive until it is interrupted.
    var limits: StopLimits? { if case .serve = options.action { StopLimits() } else { nil } }

    static let stepRefusal: String? = "'world' touches the world of the script; 'blectl simulate serve' runs beside it"
    static let stepWord: String? = "world"
    // The world of a step is that of the run, and needs no socket.
    static let stepOptions = ["--socket=blectl"]

    func stepProblem(isOnAir: Bool) -> String? {
        switch options.action {
        case .serve: "'serve' is not a step: it goes on until it is interrupted, so that it runs beside the script"
        case .ask(.stop): "'stop' is not a step: it would end the world of the run"
        case _ where isOnAir: "there is no world to touch: the run is on air"
        default: nil
        }
    }

    static func takesOperand(likeWorld word: String) -> Bool { true }

    func run(in context: CommandContext) async throws {
        try await SimulateRun(options: options, context: context).run()
    }
}

extension CommandName {
    static var simulate: CommandName { CommandName("simulate", SimulateCommand.self) }
}
