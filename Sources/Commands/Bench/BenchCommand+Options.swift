// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Toolkit

extension BenchCommand {
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
            For `write`, commands without response, as fast as the link takes them. For `l2cap`, units to a device that \
            takes them without echoing.
            """
    )

    static let count = Option(
        value: "count",
        short: "n",
        .integer("NUMBER", in: 1...Int.max),
        summary: "stop after this many reads, writes, notifications or units",
        details: """
            \(usualCount) without `--count` and `--duration`. Fewer are status 1: see TIME AND COUNT LIMITS in `blectl(1)`.
            """
    )

    static let duration = Option(
        value: "duration",
        .duration,
        summary: "stop after this time, counted from the connection"
    )

    static let chart = Option(
        value: "chart",
        .chartFile,
        summary: "draw the times and the throughput to this file, as SVG",
        details: "The picture is written at the end, also after Ctrl-C."
    )

    static let spec = CommandSpec(
        commandName,
        [.deviceCommand],
        summary: "measure the throughput and the latency of a link",
        discussion: [
            """
            Repeats one operation, one at a time, 100 times if neither `--count` nor `--duration` is given, and prints how \
            many octets went through in a second, and how long each operation took: the least, the greatest, the mean, the \
            percentiles 50, 90 and 99 by the nearest rank, and a histogram.
            """,
            """
            `read` reads a characteristic. `write` writes octets that count up, with response, and with `--one-way` \
            without. `notify` subscribes and takes the times between notifications. `l2cap` opens the channel `--psm` and \
            waits for the echo of each unit; with `--one-way` it waits for credits only. The times are those of the clock \
            of the run: in virtual time, two runs have the same.
            """,
            """
            The bench device is the counterpart that `--simulate=bench` simulates, and that `blectl serve bench` is on another \
            machine: without `TARGET`, its characteristics are measured, and without a device, the one that advertises its \
            service. Its channels are 0x80, which echoes, and 0x81, which takes.
            """,
        ],
        arguments: [action.spec, target.spec],
        options: [
            count.spec, duration.spec, size.spec, oneWay.spec, L2CAPCommand.psm.spec,
            chart.spec,
        ],
        groups: [.device, .link, .global],
        examples: [
            CommandExample("blectl bench read battery-level -d 'Pulse HR'", "round trips"),
            CommandExample("blectl bench l2cap --psm 0x80 -d Workbench --size 400", "an echo"),
            CommandExample("blectl bench notify heart-rate-measurement --count 10 --json", "for a script"),
            CommandExample(
                "blectl --simulate=bench bench notify --count 200 --chart bench.svg",
                "a stream, as a picture"
            ),
        ],
        seeAlso: [.l2cap, .notify, .write]
    )
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
