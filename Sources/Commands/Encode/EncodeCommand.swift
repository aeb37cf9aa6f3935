// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Records
import Toolkit

/// `blectl encode`: encodes a value without a device.
struct EncodeCommand: Command {
    static var commandName: CommandName { .encode }
    static let recordSchemas: [RecordSchema] = [EncodedValueResult.record.schema]

    let options: EncodeOptions

    init(_ arguments: ParsedArguments) throws(UsageError) {
        options = try EncodeOptions(arguments)
    }

    func action(on found: String?) -> String { "encode \(options.type.text)" }

    static func source(of text: String, isFirst: Bool) -> String? { isFirst ? nil : ValueInput.source(of: text) }

    static func literalHint(for word: String) -> String { "as a text: text:\(word)" }

    static func takesOperand(likeWorld word: String) -> Bool { true }

    func run(in context: CommandContext) async throws {
        try await context.output.emit(options.result(in: context.options.formats, at: Timestamp(context.time)))
    }
}

extension CommandName {
    static var encode: CommandName { CommandName("encode", EncodeCommand.self) }
}
