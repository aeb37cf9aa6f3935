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

    /// The number of operations without `--count` and `--duration`.
    static let usualCount = 100

    static let action = Argument(
        required: .choice("ACTION", of: BenchAction.self),
        summary: "what to repeat"
    )

    static let target = Argument(
        optional: .target,
        summary: "the characteristic, for all but `l2cap`; without it, that of the bench device"
    )

    static let size = Option(
        value: "size",
        // The length of a unit of a channel has two octets. An attribute is shorter, which BenchOptions checks.
        .integer("OCTETS", in: 1...65_535),
        default: "20",
        summary: "the length of what is written or sent"
    )

    static let oneWay = Option(
        flag: "one-way",
        summary: "do not wait for answers: throughput only",
        details: """
            `write` sends commands without response, as fast as the link takes them; `l2cap` sends units that the \
            device does not echo.
            """
    )

    static let count = Option.count(
        "stop after this many reads, writes, notifications or units",
        details: """
            \(usualCount) without `--count` and `--duration`. Fewer are status 1.
            """
    )

    static let duration = Option.duration("stop after this time, counted from the connection")

    static let chart = Option(
        value: "chart",
        .chartFile,
        summary: "draw the times and the throughput to this file, as SVG",
        details: "Written at the end, also after Ctrl-C."
    )

    static let spec = CommandSpec(
        commandName,
        [.deviceCommand, .forItsOutput],
        summary: "measure throughput and latency of a link",
        discussion: [
            """
            Repeats one operation, one at a time, 100 times without `--count` and `--duration`, and prints the octets \
            per second, and the least, greatest and mean time of an operation, the percentiles 50, 90 and 99 by the \
            nearest rank, and a histogram.
            """,
            """
            `read` reads a characteristic. `write` writes octets that count up, with response, or with `--one-way` \
            without. `notify` takes the times between notifications. `l2cap` opens the channel `--psm` and waits for \
            the echo of each unit, or with `--one-way` only for credits. In virtual time, two runs have the same \
            times.
            """,
            """
            The counterpart is the bench device, of `--simulate=bench` or of `blectl serve bench` on another machine: \
            without `TARGET`, its characteristics are measured, and without a device, the one that advertises its \
            service. Its channel 0x80 echoes, and 0x81 only takes.
            """,
        ],
        arguments: [action.spec, target.spec],
        options: [
            count.spec, duration.spec, size.spec, oneWay.spec, L2CAPCommand.psm.spec,
            chart.spec,
        ],
        groups: [.device, .link, .global],
        examples: [
            "blectl bench read battery-level -d 'Pulse HR'": "round trips",
            "blectl bench l2cap --psm 0x80 -d Workbench --size 400": "an echo",
            "blectl bench notify heart-rate-measurement --count 10 --json": "for a script",
            "blectl --simulate=bench bench notify --count 200 --chart bench.svg": "a stream, as a picture",
        ],
        seeAlso: ["l2cap", "notify", "write"]
    )

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

package enum BenchAction: String, OptionChoice {
    case read
    case write
    case notify
    case l2cap

    package var summary: String {
        switch self {
        case .read: "read a characteristic again and again"
        case .write: "write a characteristic"
        case .notify: "take the notifications of a characteristic"
        case .l2cap: "send units over a channel, and take their echoes"
        }
    }
}
