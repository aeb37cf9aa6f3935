// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Toolkit

extension LinkCommand {
    static let signal = Option(
        flag: "signal",
        summary: "print the strength of the signal again and again",
        details: "It is the RSSI of the link, as the controller of this machine measures it."
    )

    static let count = Option(
        value: "count",
        short: "n",
        .integer("NUMBER", in: 1...Int.max),
        summary: "with --signal, stop after this many values",
        details: "Fewer are status 1: see TIME AND COUNT LIMITS in `blectl(1)`."
    )

    static let duration = Option(
        value: "duration",
        .duration,
        summary: "with --signal, stop after this time"
    )

    static let period = Option(
        value: "period",
        .duration,
        summary: "with --signal, the time between two values",
        details: "Without it, a second."
    )

    static let spec = CommandSpec(
        commandName,
        [.deviceCommand, .forItsOutput, .changesLink],
        summary: "show and change the properties of a link",
        discussion: [
            """
            Connects, and prints the role of this machine, the MTU, the PHY, the packet limits, the connection interval, the \
            peripheral latency, the supervision timeout, the strength of the signal, the transmit power and the security. On \
            a link that a session holds, it prints those of that link. What is not known says why.
            """,
            """
            With a link option, the property is changed first: the output has what was asked for and what was reached. A \
            device that refuses is status 76, one that does not answer in `--timeout` is 124, and a controller without \
            the feature is 69. A device that agrees on no other packet length than the present one counts as one that \
            does not answer, because a controller tells of changes only. Every command that connects accepts the link \
            options, and changes the link before it sends its first request.
            """,
            """
            Signal, transmit power, PHY, role and security need no privilege. Interval, latency, supervision timeout \
            and packet limits are reported by events of the controller only, when the link is made or changed: blectl \
            listens to them with CAP_NET_RAW, which changing the link needs, too. Linux keeps a link for two seconds \
            after its last program has left it, and does not report them to the next one.
            """,
        ],
        arguments: [DeviceSpec.operand.spec],
        options: [signal.spec, count.spec, duration.spec, period.spec],
        groups: [.device, .link, .global],
        examples: [
            CommandExample("blectl link --name 'Pulse *'", "the properties of a link"),
            CommandExample("blectl link -d 'Pulse HR' --link-phy 2m --json", "another PHY, as JSON"),
            CommandExample("blectl link -d 'Pulse HR' --link-interval 15ms..30ms", "a shorter interval"),
            CommandExample("blectl link -d 'Pulse HR' --signal -n 5", "the signal, five times"),
        ],
        seeAlso: [.scan, .session]
    )
}
