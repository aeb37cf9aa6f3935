// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Records
import Toolkit

/// `blectl link`: shows and changes the properties of a link.
struct LinkCommand: DeviceCommand {
    static var commandName: CommandName { .link }
    static let recordSchemas: [RecordSchema] = [LinkResult.record.schema, SignalResult.record.schema]
    static let foreignNames = ["lecup", "conn-info", "update-parameters", "set-phy", "conn-params", "connection"]

    let options: LinkOptions
    let target: DeviceOptions

    init(_ arguments: ParsedArguments) throws(UsageError) {
        var target = try DeviceOptions(arguments, operand: arguments[DeviceSpec.operand], raisesSecurity: false)
        target.connection.observesLink = true
        // The command changes the link itself.
        target.connection.link = nil
        self.target = target
        options = try LinkOptions(arguments)
    }

    func action(on found: String?) -> String { "look at the link to \(target.text(found))" }

    var limits: StopLimits? { options.signal?.limits }

    var absentRecords: [RecordSchema] { options.signal == nil ? [SignalResult.record.schema] : [] }

    func run(in context: CommandContext) async throws {
        try await context.run(LinkOperation(options), on: target)
    }
}

extension CommandName {
    static var link: CommandName { CommandName("link", LinkCommand.self) }
}
