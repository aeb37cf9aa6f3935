// SPDX-License-Identifier: GPL-2.0-or-later

package import CommandLineInterface
import Records
import Toolkit

/// `blectl serve`: is a device.
struct ServeCommand: Command {
    static var commandName: CommandName { .serve }
    static let recordSchemas: [RecordSchema] = [
        ServingResult.record.schema,
        PrivateAddressResult.record.schema,
        ConnectedResult.record.schema,
        SecuredResult.record.schema,
        BearerResult.record.schema,
        DisconnectedResult.record.schema,
        RequestResult.record.schema,
        PairingStepResult.record.schema,
        PairedResult.record.schema,
    ]
    static let foreignNames = ["peripheral", "periph", "server", "emulate"]

    let options: ServeOptions

    init(_ arguments: ParsedArguments) throws(UsageError) {
        options = try ServeOptions(arguments)
    }

    var limits: StopLimits? { options.limits }

    static let stepRefusal: String? = "it goes on until it is interrupted: run it beside the script"

    static func takesOperand(likeWorld word: String) -> Bool { true }

    func run(in context: CommandContext) async throws {
        try await ServeRun(options: options, context: context).run()
    }
}

extension CommandName {
    package static var serve: CommandName { CommandName("serve", ServeCommand.self) }
}
