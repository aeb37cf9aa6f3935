// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Toolkit

extension ReadCommand {
    static let targets = Argument(
        oneOrMore: .target,
        summary: TargetDocumentation.summary,
        details: "\(TargetDocumentation.details) `'battery/*'` is all of a service that can be read."
    )

    static let format = Option(
        value: "as",
        .format,
        summary: "how to print the bytes",
        details: """
            `hex`, `utf8`, `raw`, or a type such as `u16`: see VALUES in `blectl(1)`.
            """
    )

    static let every = Option(
        value: "every",
        .duration,
        summary: "read again and again, once in this time",
        details: """
            Until `--count`, `--duration` or Ctrl-C. `notify` shows what the device sends by itself.
            """
    )

    static let count = Option.count(
        "with --every, stop after this many values",
        details:
            "Fewer are status 1. Values of all targets count together."
    )

    static let duration = Option.duration("with --every, stop after this time", details: "Counted from the first read.")

    static let spec = CommandSpec(
        commandName,
        [.deviceCommand, .common, .forItsOutput, .formats],
        summary: "read characteristics and descriptors",
        discussion: [
            """
            Connects and reads, with as few requests as possible: a characteristic by its UUID takes a single one. \
            Long values are read to their end.
            """,
            """
            The value of a handle is decoded if blectl knows the attribute, from this connection or from an earlier \
            `inspect`; the latter takes one request, by which the device confirms it.
            """,
            """
            Some devices describe values of private characteristics by a Presentation Format descriptor, or several \
            and an Aggregate Format. `inspect --values` keeps these; from then on `read` and `notify` show such a \
            value with its unit, for one more request, by which the device confirms that they are still valid.
            """,
            """
            If a target cannot be read, the others are. The exit status is that of the first failure.
            """,
            """
            `--every` observes as `notify` does: each value has its time, on a terminal numbers have charts, and in a \
            script `as NAME` makes it a stream. A refused target is reported and left out.
            """,
        ],
        arguments: [targets.spec],
        options: [format.spec, every.spec, count.spec, duration.spec, DeviceSpec.reconnect.spec],
        streamOption: every.spec,
        groups: [.device, .link, .global],
        examples: [
            "blectl read battery-level -d C8:4B:1D:3A:90:5E": "the battery of one device",
            "blectl read --name 'Pulse*' model-number-string battery-level": "two values at once",
            "blectl read -d 'Thermo 1' 0x181A/0x2A6E --as s16": "a characteristic in a service, as a number",
            "blectl read -d 'Pulse HR' handle:0x0018 --as raw": "the bytes behind a handle, unchanged",
            "blectl read 'device-information/*' -d 'Pulse HR'": "a whole service",
            "blectl read battery-level --every 10s --count 6": "six values in a minute",
        ],
        seeAlso: [.inspect, .write, .notify]
    )
}
