// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Toolkit

/// `blectl inspect`: shows the attributes of a device.
struct InspectCommand: DeviceCommand {
    static var commandName: CommandName { .inspect }
    static let recordSchemas = TreeResult.schemas
    static let foreignNames = [
        "services", "characteristics", "char-desc", "primary", "gatt", "info", "tree", "dump", "enumerate",
        "list-attributes", "svcs", "chars", "gatt-dump", "descriptors", "included", "explore", "probe",
    ]

    let options: InspectOptions
    let target: DeviceOptions

    init(_ arguments: ParsedArguments) throws(UsageError) {
        target = try DeviceOptions(arguments, operand: arguments[DeviceSpec.operand], raisesSecurity: false)
        options = InspectOptions(arguments)
    }

    func action(on found: String?) -> String { "inspect \(target.text(found))" }

    func run(in context: CommandContext) async throws {
        try await context.run(InspectOperation(options), on: target)
    }
}

extension CommandName {
    static var inspect: CommandName { CommandName("inspect", InspectCommand.self) }
}
