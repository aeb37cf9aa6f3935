// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothProfiles
import CommandLineInterface
import Records
import Terminal
import Toolkit

/// `blectl watch`: measurements, a serial port, or keys.
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

    /// Runs the operation for the kind of profile. Profiles of different kinds are never mixed: the parser
    /// rejects them.
    func run(in context: CommandContext) async throws {
        switch options.profiles.first?.mode {
        case .serialPort: try await context.run(try serialPort(in: context), on: target)
        case .keys(let pads): try await context.run(try keys(pads, in: context), on: target)
        case .stream, .snapshot, .storedRecords, nil: try await measurements(in: context)
        }
    }

    /// Watches measurements, on the live display if there is a terminal.
    private func measurements(in context: CommandContext) async throws {
        let observation = LiveObservation(subject: options.title, limits: options.limits, thing: .measurement)
        // Values that are read once need no screen.
        try await context.run(
            WatchOperation(options),
            on: target,
            watching: options.isSnapshot ? nil : observation,
            drawing: options.chart
        )
    }

    /// The operation for a serial port. Standard input is opened here, so that a mistake costs no connection.
    private func serialPort(in context: CommandContext) throws -> SerialOperation {
        let input = options.serial.isReceiveOnly ? nil : try ByteSource(path: "-", blocking: context.process.blocking)
        return SerialOperation(
            options: options.serial,
            listens: options.listens,
            limits: options.limits,
            input: input,
            isInteractive: input?.isTerminal ?? false,
            isForTerminal: context.output.style.isTerminal,
            reconnects: options.reconnects
        )
    }

    /// The operation for keys, with the programs that `--exec` assigns to them.
    private func keys(_ pads: [KeyPad], in context: CommandContext) throws -> KeysOperation {
        var programs: KeyPrograms?
        if !options.programs.isEmpty {
            let action = "watch keys with --exec"
            let runner = try ExecRunner(context, timeout: options.programTimeout, doing: action)
            programs = KeyPrograms(options.programs, runner)
        }
        return KeysOperation(pads: pads, limits: options.limits, programs: programs)
    }
}

extension CommandName {
    static var watch: CommandName { CommandName("watch", WatchCommand.self) }
}
