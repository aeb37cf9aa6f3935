// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothProfiles
import CommandLineInterface
import Records
import Toolkit

/// `blectl decode`: decodes values without a device.
struct DecodeCommand: Command {
    static var commandName: CommandName { .decode }
    static let recordSchemas: [RecordSchema] = [DecodedValueResult.record.schema]

    let options: DecodeOptions

    init(_ arguments: ParsedArguments) throws(UsageError) {
        options = try DecodeOptions(arguments)
    }

    func action(on found: String?) -> String { "decode \(options.type.text)" }

    func formats(in formats: FormatCatalogue) -> [CharacteristicFormat?]? {
        options.type.descriptor == nil ? [options.type.characteristic.flatMap { formats.format(of: $0) }] : nil
    }

    static func source(of text: String, isFirst: Bool) -> String? { isFirst ? nil : ValueInput.source(of: text) }

    static func literalHint(for word: String) -> String { "as a text: text:\(word)" }

    static func takesOperand(likeWorld word: String) -> Bool { true }

    func run(in context: CommandContext) async throws {
        try await DecodeRun(options: options, context: context).run()
    }
}

extension CommandName {
    static var decode: CommandName { CommandName("decode", DecodeCommand.self) }
}
