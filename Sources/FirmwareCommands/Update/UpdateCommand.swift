// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost
package import CommandLineInterface
import FirmwareUpdate
package import Records
package import Toolkit

/// `blectl update`: new firmware over the air.
package struct UpdateCommand: DeviceCommand {
    package static var commandName: CommandName { .update }
    package static let recordSchemas: [RecordSchema] = [UpdateResult.record.schema]
    package static let foreignNames = ["dfu", "ota", "upgrade", "flash", "firmware"]

    private let options: UpdateOptions
    package let target: DeviceOptions

    package init(_ arguments: ParsedArguments) throws(UsageError) {
        options = UpdateOptions(arguments)
        var target = try DeviceOptions(
            arguments,
            likely: .likely([.mcumgrService, .legacyDFUService, .secureDFUService], names: []),
            mustBeOnlyOne: true
        )
        // A boot loader may have the address of the application, and has other attributes.
        target.connection.usesCache = false
        // The link ends with the old firmware, and others would lose it.
        target.usesSessions = false
        self.target = target
    }

    package static func source(of text: String, isFirst: Bool) -> String? { text == "-" ? "standard input" : nil }

    package func action(on found: String?) -> String { "update \(target.text(found))" }

    package func run(in context: CommandContext) async throws {
        // Before the device is looked for: a wrong file sends nothing.
        let firmware = try FirmwareFile.read(options.path, image: options.image)
        var target = target
        // A device for another kind of firmware beside it makes no choice necessary.
        if case .likely? = target.selector { target.selector = .likely(firmware.service) }
        if context.caller.held == nil { try await context.checkIsAlone(with: target, to: "update") }
        try await context.run(UpdateOperation(options: options, firmware: firmware, output: context.output), on: target)
    }
}

extension CommandName {
    package static var update: CommandName { CommandName("update", UpdateCommand.self) }
}

struct UpdateOptions: Sendable {
    let path: String
    let image: Int?
    let confirmation: FirmwareConfirmation
    let resets: Bool

    init(_ arguments: ParsedArguments) {
        path = arguments[UpdateCommand.file]
        image = arguments[UpdateCommand.image]
        confirmation =
            arguments[UpdateCommand.test] ? .never : arguments[UpdateCommand.permanent] ? .before : .afterwards
        resets = !arguments[UpdateCommand.noReset]
    }
}
