// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Toolkit

extension NotifyCommand {
    static let targets = Argument(
        oneOrMore: .target,
        summary: "a characteristic that notifies or indicates",
        details: TargetDocumentation.details
    )

    static let count = Option(
        value: "count",
        short: "n",
        .integer("NUMBER", in: 1...Int.max),
        summary: "stop after this many values",
        details: """
            Fewer are status 1: see TIME AND COUNT LIMITS in `blectl(1)`. Values of all targets are counted together, with \
            those that were dropped because they came faster than they could be written.
            """
    )

    static let duration = Option(
        value: "duration",
        .duration,
        summary: "stop after this time",
        details: "Counted from the moment at which all targets are subscribed to."
    )

    static let listen = Option(
        flag: "listen",
        summary: "also take what cannot be switched on",
        details: """
            Some devices send values without a Client Characteristic Configuration, or refuse the write to it. A message \
            says why it could not be switched on.
            """
    )

    static let frames = Option(
        value: "frames",
        .frames,
        summary: "join the values, and print the frames in them",
        details: """
            FORM is `line`, `end:OCTETS` as in `end:0d0a`, or `length:FORMAT` as in `length:u16be@2+1`, as described above. \
            `--count` counts frames.
            """
    )

    static let spec = CommandSpec(
        commandName,
        [.deviceCommand, .common, .forItsOutput, .formats, .stream],
        summary: "subscribe and print values as they arrive",
        discussion: [
            """
            Connects, subscribes to the notifications or the indications of one or several characteristics, and \
            prints each value as it arrives, with its time. A device that falls silent is not an error; without \
            `--count` or `--duration`, the command goes on until it is interrupted or, without `--reconnect`, the \
            connection is lost.
            """,
            """
            One of several characteristics may fail, because the device lacks it or because it does not notify. The \
            failure is reported, the others continue, and the exit status is that of the first failure. With `--listen` \
            what cannot be switched on is no failure: the values are taken that the device sends without being asked.
            """,
            """
            On a terminal, numbers have charts as those of `watch`, unless `--as raw` is given.
            """,
            """
            With `--frames`, the values of a characteristic are one stream of octets, which is cut where a frame ends, \
            however the device has divided it. A frame of `line` ends at a line feed, and one of `end:0d0a` with these \
            octets, which are left out. One of `length:u16be@2+1` has, 2 octets after its beginning, a number of 16 bits \
            that counts the octets after it, and 1 octet more. A frame has at most 65536 octets; what is none, or has not \
            ended, is reported.
            """,
            "Notifications are switched off before the command disconnects, however it ends.",
            """
            With `--reconnect`, the pauses between attempts grow to 5 seconds. What the device sends during a gap is \
            missing. The first connection has to succeed, within `--retries`. A device that refuses the key of its bond \
            ends the command. If a session has the link and ends, another session or a connection of its own follows.
            """,
        ],
        arguments: [targets.spec],
        options: [
            count.spec, duration.spec, DeviceSpec.reconnect.spec, listen.spec, frames.spec, ReadCommand.format.spec,
            WatchCommand.chart.spec,
        ],
        groups: [.device, .link, .global],
        examples: [
            CommandExample("blectl notify heart-rate-measurement --count 5", "five raw measurements"),
            CommandExample(
                "blectl notify -d 'Thermo 1' temperature-measurement 0x2A19 --json",
                "two characteristics, as JSON"
            ),
            CommandExample("blectl notify nordic-uart-tx --frames line --as text", "the lines of a serial port"),
            CommandExample(
                "blectl --simulate notify -d 'Flaky HR' 0x2A37 --reconnect",
                "what lost connections look like"
            ),
        ],
        seeAlso: [.watch, .read]
    )
}
