// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Records
import Toolkit

/// `blectl clone`: writes the device file of a device.
struct CloneCommand: DeviceCommand {
    static var commandName: CommandName { .clone }
    static let recordSchemas: [RecordSchema] = [CloneResult.record.schema]

    let options: CloneOptions
    let target: DeviceOptions

    init(_ arguments: ParsedArguments) throws(UsageError) {
        target = try DeviceOptions(
            arguments,
            operand: arguments[DeviceSpec.operand],
            raisesSecurity: false,
            isNeeded: arguments[Self.capture] == nil
        )
        options = CloneOptions(arguments)
        guard options.hint == nil || options.capture != nil else {
            throw arguments.impossible("'--gatt' is for '--from CAPTURE'")
        }
    }

    var isForItsOutput: Bool { options.output == nil }

    func action(on found: String?) -> String { "clone \(target.text(found))" }

    func run(in context: CommandContext) async throws {
        try await CloneRun(options: options, device: target, context: context).run()
    }
}

extension CommandName {
    static var clone: CommandName { CommandName("clone", CloneCommand.self) }
}
