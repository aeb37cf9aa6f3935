// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Records
import Toolkit

/// `blectl l2cap`: joins a channel to standard input and output.
struct L2CAPCommand: Command {
    static var commandName: CommandName { .l2cap }
    static let recordSchemas: [RecordSchema] = [
        ChannelResult.record.schema,
        OctetsResult.channelUnit.schema,
        ChannelEndResult.record.schema,
    ]

    let options: L2CAPOptions

    init(_ arguments: ParsedArguments) throws(UsageError) {
        options = try L2CAPOptions(arguments)
    }

    func action(on found: String?) -> String { "use the channel \(options.spsm)" }

    var linkedDevice: DeviceOptions? { options.device }

    /// A listener waits for the next device.
    var limits: StopLimits? { options.device == nil ? options.limits : nil }

    static let stepRefusal: String? = forCommandLine

    func run(in context: CommandContext) async throws {
        try await L2CAPRun(options: options, context: context).run()
    }
}

extension CommandName {
    static var l2cap: CommandName { CommandName("l2cap", L2CAPCommand.self) }
}
