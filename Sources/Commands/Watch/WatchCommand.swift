// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothProfiles
import CommandLineInterface
import Records
import Toolkit

/// `blectl watch`: shows the measurements of a profile.
struct WatchCommand: DeviceCommand {
    static var commandName: CommandName { .watch }
    static let recordSchemas =
        [MeasurementResult.record.schema, OctetsResult.serial.schema, KeyResult.record.schema]
        + InterruptionResult.schemas
    static let foreignNames = ["monitor"]

    let options: WatchOptions
    let target: DeviceOptions

    init(_ arguments: ParsedArguments) throws(UsageError) {
        let options = try WatchOptions(arguments)
        target = try DeviceOptions(arguments, likely: options.likelyDevice, reconnects: arguments[DeviceSpec.reconnect])
        self.options = options
    }

    func action(on found: String?) -> String { "watch \(options.text) on \(target.text(found))" }

    /// Measurements, presses of keys and octets of a serial port come without an end. What is read once or stored has
    /// an end.
    var limits: StopLimits? { options.goesOn ? options.limits : nil }

    var writtenFiles: [(option: String, path: String)] { options.chart.map { [("--chart", $0.path)] } ?? [] }

    /// Of measurements, keys and octets a run has one.
    var absentRecords: [RecordSchema] {
        let (measurement, key, serial) =
            (MeasurementResult.record.schema, KeyResult.record.schema, OctetsResult.serial.schema)
        return switch options.profiles.first?.mode {
        case .serialPort: [measurement, key]
        case .keys: [measurement, serial]
        case .stream, .snapshot, .storedRecords, nil: [key, serial]
        }
    }

    func formats(in formats: FormatCatalogue) -> [CharacteristicFormat?]? {
        options.profiles.flatMap { $0.formats(in: formats) }
    }

    func run(in context: CommandContext) async throws {
        try await WatchRun(options: options, device: target, context: context).run()
    }
}

extension CommandName {
    static var watch: CommandName { CommandName("watch", WatchCommand.self) }
}
