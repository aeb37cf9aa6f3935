// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothProfiles
import CommandLineInterface
import Records
import Toolkit

/// `blectl profile`: does what a profile can do.
struct ProfileCommand: DeviceCommand {
    static var commandName: CommandName { .profile }
    static let recordSchemas: [RecordSchema] = [ActionResult.record.schema]

    let options: ProfileOptions
    let target: DeviceOptions

    init(_ arguments: ParsedArguments) throws(UsageError) {
        let options = try ProfileOptions(arguments)
        target = try DeviceOptions(
            arguments,
            likely: options.likelyDevice,
            mustBeOnlyOne: options.action.changesDevice
        )
        self.options = options
    }

    static func choices(of argument: ArgumentSpec, after operands: [String]) -> [String] {
        let choices = argument.value.choices.map(\.word)
        guard choices.isEmpty, let word = operands.first, let profile = ProfileCommand.profileName(word) else {
            return choices
        }
        return ProfileAction.all.filter { $0.profile == profile }.map(\.name)
    }

    func action(on found: String?) -> String { "do \(options.text) on \(target.text(found))" }

    func run(in context: CommandContext) async throws {
        try await context.run(ProfileActionOperation(options: options, zone: context.process.zone), on: target)
    }
}

extension CommandName {
    static var profile: CommandName { CommandName("profile", ProfileCommand.self) }
}
