// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Records
import Toolkit

/// `blectl trace`: shows the packets of a capture.
struct TraceCommand: Command {
    static let commandName = CommandName.trace
    static let recordSchemas: [RecordSchema] = [PacketResult.record.schema]

    let options: TraceOptions

    init(_ arguments: ParsedArguments) throws(UsageError) {
        options = try TraceOptions(arguments)
    }

    func action(on found: String?) -> String { "read the capture \(DeviceFiles.name(of: options.file))" }

    static let stepRefusal: String? = forCommandLine

    static func takesOperand(likeWorld word: String) -> Bool { true }

    func run(in context: CommandContext) async throws {
        try await TraceRun(options: options, context: context).run()
    }
}

extension CommandName {
    static let trace = CommandName("trace", TraceCommand.self)
}
