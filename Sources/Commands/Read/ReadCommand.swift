// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothProfiles
import CommandLineInterface
import Records
import Toolkit

/// `blectl read`: reads characteristics and descriptors.
struct ReadCommand: DeviceCommand {
    static var commandName: CommandName { .read }
    static let recordSchemas: [RecordSchema] = [ValueResult.value.schema]
    static let foreignNames = ["char-read", "char-read-hnd", "char-read-uuid", "read-gatt-char", "get"]

    let options: ReadOptions
    let target: DeviceOptions

    init(_ arguments: ParsedArguments) throws(UsageError) {
        let options = try ReadOptions(arguments)
        let likely = options.targets.lazy.compactMap { $0.likelyService(in: arguments.formats) }.first
        target = try DeviceOptions(
            arguments,
            likely: likely.map { DeviceSelector.likely($0) },
            reconnects: options.reconnects
        )
        self.options = options
    }

    func action(on found: String?) -> String {
        "read \(options.text) from \(target.text(found))"
    }

    /// Without `--every` it ends by itself.
    var limits: StopLimits? { options.period == nil ? nil : options.limits }

    func formats(in formats: FormatCatalogue) -> [CharacteristicFormat?]? {
        options.format == nil ? options.targets.map { $0.format(in: formats) } : nil
    }

    func run(in context: CommandContext) async throws {
        let observation = LiveObservation(
            subject: options.targets.map(\.text).joined(separator: ", "),
            limits: options.limits,
            thing: .value
        )
        try await context.run(
            ReadOperation(options),
            on: target,
            isRaw: options.format == .raw,
            watching: options.period == nil ? nil : observation
        )
    }
}

extension CommandName {
    static var read: CommandName { CommandName("read", ReadCommand.self) }
}
