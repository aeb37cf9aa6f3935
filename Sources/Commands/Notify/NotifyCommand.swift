// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothProfiles
import CommandLineInterface
import Records
import Toolkit

/// `blectl notify`: listens to values.
struct NotifyCommand: DeviceCommand {
    static var commandName: CommandName { .notify }
    static let recordSchemas =
        [ValueResult.notification.schema, ValueResult.indication.schema] + InterruptionResult.schemas
    static let foreignNames = ["subscribe", "sub", "listen", "observe", "indicate", "notifications", "start-notify"]

    let options: NotifyOptions
    let target: DeviceOptions

    init(_ arguments: ParsedArguments) throws(UsageError) {
        let options = try NotifyOptions(arguments)
        target = try DeviceOptions(
            arguments,
            likely: options.targets.likelyService(in: arguments.formats).map { .likely($0) },
            reconnects: arguments[DeviceSpec.reconnect]
        )
        self.options = options
    }

    func action(on found: String?) -> String {
        "listen to \(AttributeTarget.list(options.targets)) of \(target.text(found))"
    }

    var limits: StopLimits? { options.limits }

    var writtenFiles: [(option: String, path: String)] { options.chart.map { [("--chart", $0.path)] } ?? [] }

    func formats(in formats: FormatCatalogue) -> [CharacteristicFormat?]? {
        options.format == nil ? options.targets.map { $0.format(in: formats) } : nil
    }

    func run(in context: CommandContext) async throws {
        let targets = options.targets.map(\.text).joined(separator: ", ")
        let observation = LiveObservation(
            subject: targets,
            limits: options.limits,
            thing: options.frames == nil ? .value : .frame
        )
        try await context.run(
            NotifyOperation(options),
            on: target,
            isRaw: options.isRaw,
            watching: observation,
            drawing: options.chart
        )
    }
}

extension CommandName {
    static var notify: CommandName { CommandName("notify", NotifyCommand.self) }
}
