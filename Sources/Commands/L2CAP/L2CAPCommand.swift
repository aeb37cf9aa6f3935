// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import CommandLineInterface
import Records
import Terminal
import Toolkit

/// `blectl l2cap`: joins a channel to standard input and output.
struct L2CAPCommand: Command {
    static var commandName: CommandName { .l2cap }
    static let recordSchemas: [RecordSchema] = [
        ChannelResult.record.schema,
        OctetsResult.channelUnit.schema,
        ChannelEndResult.record.schema,
    ]

    static let action = Argument(
        required: .choice("ACTION", of: L2CAPAction.self),
        summary: "which side opens the channel"
    )

    static let psm = Option(
        value: "psm",
        .spsm,
        summary: "the number of the service",
        details: """
            A channel has to have one. The Bluetooth SIG assigns 1 to 127 (0x7F), three with names: `ipsp`, `ots`, `eatt`; \
            devices choose 128 to 255 (0xFF).
            """
    )

    static let mtu = Option(
        value: "mtu",
        .integer("OCTETS", in: CreditBasedLimits.least...UInt16.max),
        // The default MTU of L2CAP: Core 5.4, Vol 3, Part A, 5.1.
        default: "672",
        summary: "the largest unit to receive"
    )

    static let wait = Option(
        value: "wait",
        .duration,
        default: "1",
        summary: "close after this silence when the input has ended",
        details: """
            A channel only ends as a whole: when all is sent, the peer has that long after each unit to send more \
            before it is closed; at the end of typed input it is closed at once.
            """
    )

    static let hex = Option(
        flag: "hex",
        summary: "hex digits: each line is a unit",
        details: """
            Both ways; without it, octets go through unchanged, and the bounds of units are lost. A line that is no \
            hex, or longer than the peer's units, is not sent; unless it was typed, the status is then 65.
            """
    )

    static let count = Option.count("stop after this many received units")

    static let duration = Option.duration("stop after this time, counted from the open channel")

    static let spec = CommandSpec(
        commandName,
        [.deviceCommand],
        summary: "carry octets over an L2CAP channel: netcat for BLE",
        discussion: [
            """
            Opens an L2CAP channel with LE credit-based flow control. Standard input goes out in units of at most the \
            peer's MTU, and what arrives goes to standard output. Nothing is dropped: input waits for the peer's \
            credits, and the peer gets credits for what standard output has taken.
            """,
            """
            `connect` opens the channel to the chosen device. `listen` offers the service, advertises as `--name` (or \
            `blectl`), carries the first channel that a central opens, and ends with it.
            """,
            """
            The command ends when the peer closes the channel; if there was more to send, with status 75. A refused \
            channel is 68 without such a service (0x0002), 75 without room for another channel (0x0004), 76 for lack \
            of security (0x0005 to 0x0008) or another reason. No credits for `--timeout`, with something to send, are \
            124.
            """,
            """
            A capture has the link of the channel, but its frames only if the command itself simulates the devices: on \
            a real adapter the kernel makes them, in a shared world the process that holds it. Without `CAP_NET_RAW`, \
            the reason of a refusal is not known, and the status 76. Kernels before 6.10 give credits before the units \
            are read; if the reader is too slow for the socket's buffer, they close the channel: status 75.
            """,
            """
            Offering numbers below 128 needs `CAP_NET_BIND_SERVICE`.
            """,
        ],
        arguments: [action.spec],
        options: [psm.spec, mtu.spec, wait.spec, hex.spec, count.spec, duration.spec],
        groups: [.device, .link, .global],
        examples: [
            "echo ping | blectl l2cap connect --psm 0x80 -d Workbench": "send, print the echo",
            "blectl l2cap connect --psm 130 -d Workbench --hex": "print what comes, a unit a line",
            "blectl l2cap listen --psm 128 --name Sink": "print what a central sends",
        ],
        seeAlso: ["serve", "watch"]
    )

    let options: L2CAPOptions

    init(_ arguments: ParsedArguments) throws(UsageError) {
        options = try L2CAPOptions(arguments)
    }

    func action(on found: String?) -> String { "use the channel \(options.spsm)" }

    var linkedDevice: DeviceOptions? { options.device }

    /// A listener waits for the next device.
    var limits: StopLimits? { options.device == nil ? options.limits : nil }

    static let stepRefusal: String? = forCommandLine

    func run(in context: CommandContext) async throws {
        try await L2CAPRun(options: options, context: context).run()
    }
}

extension CommandName {
    static var l2cap: CommandName { CommandName("l2cap", L2CAPCommand.self) }
}

package enum L2CAPAction: String, OptionChoice {
    case connect
    case listen

    package var summary: String {
        switch self {
        case .connect: "open a channel to a device"
        case .listen: "offer a service, and carry the first channel"
        }
    }
}

extension ValueSyntax where Value == SPSM {
    /// The number of a service on credit-based channels.
    static var spsm: ValueSyntax {
        ValueSyntax(
            name: "PSM",
            choices: { SPSM.named.map { Choice(word: $0.name, summary: "\($0.number)") } }
        ) { text throws(ValueProblem) in
            let lower = text.lowercased()
            if let named = SPSM.named.first(where: { $0.name == lower }) { return named.number }
            guard let number = UInt16(numeral: text), SPSM(number).isValid else {
                throw ValueProblem(
                    expectation: "expected 1 to 255, 0x0001 to 0x00FF, or a name: "
                        + Prose.list(SPSM.named.map { "'\($0.name)'" }, "or"),
                    suggestion: Suggestion.closest(to: lower, among: SPSM.named.map(\.name))
                )
            }
            return SPSM(number)
        }
    }
}
