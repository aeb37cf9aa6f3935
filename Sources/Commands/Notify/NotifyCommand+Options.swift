// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Toolkit

extension NotifyCommand {
    static let targets = Argument(
        oneOrMore: .target,
        summary: "a characteristic that notifies or indicates",
        details: TargetDocumentation.details
    )

    static let count = Option.count(
        "stop after this many values",
        details: """
            Fewer are status 1. Values of all targets count together, also \
            those dropped because they came faster than they could be written.
            """
    )

    static let duration = Option.duration(details: "Counted from the last subscription.")

    static let frames = Option(
        value: "frames",
        .frames,
        summary: "join the values, and print the frames in them",
        details: """
            `line`, `end:OCTETS` as in `end:0d0a`, or `length:FORMAT` as in `length:u16be@2+1`: see above. `--count` \
            counts frames.
            """
    )

    static let spec = CommandSpec(
        commandName,
        [.deviceCommand, .common, .forItsOutput, .formats, .stream],
        summary: "subscribe and print values as they arrive",
        discussion: [
            """
            Subscribes to notifications or indications of characteristics, and prints each value with its time as it \
            arrives. A silent device is no error; without `--count` or `--duration`, the command ends when it is \
            interrupted or, without `--reconnect`, when the connection is lost.
            """,
            """
            If one of several characteristics is missing or does not notify, that is reported, the others continue, \
            and the exit status is that of the first failure. With `--listen` it is no failure: values that the device \
            sends unasked are taken.
            """,
            """
            On a terminal, numbers have charts as in `watch`, unless `--as raw` is given.
            """,
            """
            With `--frames`, the values of a characteristic are one stream of octets, cut where a frame ends, however \
            the device has divided it. A frame of `line` ends at a line feed, one of `end:0d0a` with these octets; \
            both are left out. One of `length:u16be@2+1` has, 2 octets after its beginning, a number of 16 bits that \
            counts the octets after it, and 1 octet more. A frame has at most 65536 octets; what is none, or has not \
            ended, is reported.
            """,
            "However the command ends, it first switches notifications off.",
            """
            With `--reconnect`, pauses between attempts grow to 5 seconds. What is sent during a gap is missing. The \
            first connection has to succeed within `--retries`. A device that refuses the key of its bond ends the \
            command. If a session that has the link ends, another session or an own connection follows.
            """,
        ],
        arguments: [targets.spec],
        options: [
            count.spec, duration.spec, DeviceSpec.reconnect.spec, ValueOptions.listen.spec, frames.spec,
            ReadCommand.format.spec, ValueOptions.chart.spec,
        ],
        groups: [.device, .link, .global],
        examples: [
            "blectl notify heart-rate-measurement --count 5": "five raw measurements",
            "blectl notify -d 'Thermo 1' temperature-measurement 0x2A19 --json": "two characteristics, as JSON",
            "blectl notify nordic-uart-tx --frames line --as text": "the lines of a serial port",
            "blectl --simulate notify -d 'Flaky HR' 0x2A37 --reconnect": "what lost connections look like",
        ],
        seeAlso: [.watch, .read]
    )
}
