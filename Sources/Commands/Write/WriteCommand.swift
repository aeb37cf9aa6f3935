// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Records
import Toolkit

/// `blectl write`: writes a value.
struct WriteCommand: DeviceCommand {
    static var commandName: CommandName { .write }
    static let recordSchemas: [RecordSchema] = [WriteResult.record.schema]
    static let foreignNames = [
        "char-write", "char-write-cmd", "char-write-req", "write-gatt-char", "set", "send", "put",
    ]

    let options: WriteOptions
    let target: DeviceOptions

    init(_ arguments: ParsedArguments) throws(UsageError) {
        let options = try WriteOptions(arguments)
        let likely = options.target.likelyService(in: arguments.formats).map { DeviceSelector.likely($0) }
        target = try DeviceOptions(arguments, likely: likely, mustBeOnlyOne: true)
        self.options = options
    }

    func action(on found: String?) -> String { "write \(options.target) to \(target.text(found))" }

    static func source(of text: String, isFirst: Bool) -> String? {
        isFirst ? nil : ValueInput.source(of: text)
    }

    static func literalHint(for word: String) -> String {
        "as a text: text:\(word); the octets of a file: @${PATH}, with the '@' in the script"
    }

    /// The value may be any word.
    static func takesOperand(likeWorld word: String) -> Bool { !word.isPathOfWorld }

    func run(in context: CommandContext) async throws {
        try await WriteRun(options: options, device: target, context: context).run()
    }
}

extension CommandName {
    static var write: CommandName { CommandName("write", WriteCommand.self) }
}
