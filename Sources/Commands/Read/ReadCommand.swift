// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothProfiles
import CommandLineInterface
import Records
import Toolkit

/// `blectl read`: reads characteristics and descriptors.
struct ReadCommand: DeviceCommand {
    static let commandName = CommandName.read
    static let recordSchemas: [RecordSchema] = [ValueResult.value.schema]
    static let foreignNames = ["char-read", "char-read-hnd", "char-read-uuid", "get"]

    let options: ReadOptions
    let target: DeviceOptions

    init(_ arguments: ParsedArguments) throws(UsageError) {
        let options = try ReadOptions(arguments)
        let likely = options.targets.likelyService(in: arguments.formats).map { DeviceSelector.likely($0) }
        target = try DeviceOptions(arguments, likely: likely)
        self.options = options
    }

    func action(on found: String?) -> String {
        "read \(AttributeTarget.list(options.targets)) from \(target.text(found))"
    }

    func formats(in formats: FormatCatalogue) -> [CharacteristicFormat?]? {
        options.format == nil ? options.targets.map { $0.format(in: formats) } : nil
    }

    func run(in context: CommandContext) async throws {
        try await context.run(ReadOperation(options), on: target)
    }
}

extension CommandName {
    static let read = CommandName("read", ReadCommand.self)
}
