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

    static let values = Option(
        flag: "values",
        summary: "read every value that can be read",
        details: "A refused value is shown with its error, and is no failure."
    )

    static let spec = CommandSpec(
        commandName,
        [.deviceCommand, .common, .forItsOutput, .formats],
        summary: "show the services and characteristics of a device",
        discussion: [
            """
            Discovers and prints the tree of services, included services, characteristics and descriptors, with names, \
            handles and properties.
            """,
            """
            With `--values`, `=` is before a value, and `!` before the reason why there is none. A terminal cuts a \
            value that is longer than the line, and shows its length; elsewhere, and with `--json`, it is complete.
            """,
        ],
        arguments: [DeviceSpec.operand.spec],
        options: [values.spec],
        groups: [.device, .link, .global],
        examples: [
            "blectl inspect C8:4B:1D:3A:90:5E": "the tree of one device",
            "blectl inspect --name 'Thermo*' --values": "the tree with values, of a device by name",
        ],
        seeAlso: ["scan", "read"]
    )

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

struct InspectOptions: Sendable, Equatable {
    var readsValues = false
}

extension InspectOptions {
    init(_ arguments: ParsedArguments) {
        readsValues = arguments[InspectCommand.values]
    }
}
