// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Records
import Toolkit

/// `blectl trace`: shows the packets of a capture.
struct TraceCommand: Command {
    static var commandName: CommandName { .trace }
    static let recordSchemas: [RecordSchema] = [
        PacketResult.record.schema, CapturedOperationResult.record.schema, CaptureResult.record.schema,
        CapturedDeviceResult.record.schema, CapturedLinkResult.record.schema, CapturedAttributeResult.record.schema,
    ]

    let options: TraceOptions

    init(_ arguments: ParsedArguments) throws(UsageError) {
        options = try TraceOptions(arguments)
    }

    func action(on found: String?) -> String {
        "read \(options.files.count == 1 ? "the capture" : "the captures") \(options.files.map { DeviceFiles.name(of: $0) }.joined(separator: ", "))"
    }

    static let stepRefusal: String? = forCommandLine

    static func takesOperand(likeWorld word: String) -> Bool { true }

    func run(in context: CommandContext) async throws {
        try await TraceRun(options: options, context: context).run()
    }
}

extension CommandName {
    static var trace: CommandName { CommandName("trace", TraceCommand.self) }
}
