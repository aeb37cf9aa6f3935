// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothDevices
import CommandLineInterface
import Records
import Toolkit

/// `blectl bench`: measures how fast a device answers.
struct BenchCommand: DeviceCommand {
    static var commandName: CommandName { .bench }
    static let recordSchemas: [RecordSchema] = [BenchResult.record.schema]
    static let foreignNames = ["throughput", "speed", "speedtest", "iperf"]

    let options: BenchOptions
    let target: DeviceOptions

    init(_ arguments: ParsedArguments) throws(UsageError) {
        let options = try BenchOptions(arguments)
        let isUsual = arguments[Self.target] == nil
        let service = isUsual ? BuiltInDevice.benchService : options.target?.likelyService(in: arguments.formats)
        var target = try DeviceOptions(
            arguments,
            likely: service.map { .likely($0) },
            mustBeOnlyOne: options.changesDevice
        )
        if options.target == nil {
            target.usesSessions = false
            if let missing = target.missing { throw arguments.impossible(missing.message, hint: missing.hint) }
        }
        self.target = target
        self.options = options
    }

    func action(on found: String?) -> String { "measure \(options.text) of \(target.text(found))" }

    var writtenFiles: [(option: String, path: String)] { options.chart.map { [("--chart", $0.path)] } ?? [] }

    static let stepRefusal: String? = forCommandLine

    func run(in context: CommandContext) async throws {
        try await BenchRun(options: options, device: target, context: context).run()
    }
}

extension CommandName {
    static var bench: CommandName { CommandName("bench", BenchCommand.self) }
}
