// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Records
import Toolkit

/// `blectl pair`: pairs with a device.
struct PairCommand: Command {
    static var commandName: CommandName { .pair }
    static let inputOptions: Set<String> = [outOfBand.spec.long]
    static let recordSchemas: [RecordSchema] = [PairingStepResult.record.schema, PairedResult.record.schema]
    static let foreignNames = ["trust", "bond"]

    let options: PairOptions
    let target: DeviceOptions

    init(_ arguments: ParsedArguments) throws(UsageError) {
        target = try DeviceOptions(
            arguments,
            operand: arguments[DeviceSpec.operand],
            mustBeOnlyOne: true,
            raisesSecurity: false,
            isNeeded: arguments[Self.outOfBandOutput] == nil
        )
        options = try PairOptions(arguments)
    }

    func action(on found: String?) -> String { "pair with \(target.text(found))" }

    var linkedDevice: DeviceOptions? { options.outOfBandOutput == nil ? target : nil }

    var givenNames: [String] { [target.selector?.givenName].compactMap(\.self) }

    func run(in context: CommandContext) async throws {
        try await PairRun(options: options, device: target, context: context).run()
    }
}

extension CommandName {
    static var pair: CommandName { CommandName("pair", PairCommand.self) }
}
