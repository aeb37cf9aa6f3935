// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import CommandLineInterface
import Records
import Toolkit

/// `blectl link`: shows and changes the properties of a link.
struct LinkCommand: DeviceCommand {
    static var commandName: CommandName { .link }
    static let recordSchemas: [RecordSchema] = [LinkResult.record.schema, SignalResult.record.schema]
    static let foreignNames = ["lecup", "conn-info", "update-parameters", "set-phy", "conn-params", "connection"]

    static let signal = Option(
        flag: "signal",
        summary: "print the strength of the signal again and again",
        details: "The RSSI, as measured by the controller of this machine."
    )

    static let count = Option.count("with --signal, stop after this many values")

    static let duration = Option.duration("with --signal, stop after this time")

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
            Prints role, MTU, PHY, packet limits, connection interval, peripheral latency, supervision timeout, subrate \
            factor, channels, the device's version and features, signal strength, transmit power and security of a new \
            link, or of a session's, and why some are not known.
            """,
            """
            A link option changes the property first: the output has what was asked for and what was reached. A \
            refusal is status 76, no answer in `--timeout` 124, and a controller without the feature 69. A device that \
            keeps its packet length counts as not answering, because controllers report only changes.
            """,
            """
            Signal, transmit power, PHY, role and security need no privilege. The controller reports interval, \
            latency, supervision timeout and packet limits only when the link is made or changed: blectl hears that \
            with CAP_NET_RAW, which changes of the link need, too. Linux keeps a link for two seconds after its last \
            program, and does not report them to the next.
            """,
        ],
        arguments: [DeviceSpec.operand.spec],
        options: [signal.spec, count.spec, duration.spec, period.spec],
        groups: [.device, .link, .global],
        examples: [
            "blectl link --name 'Pulse *'": "the properties of a link",
            "blectl link -d 'Pulse HR' --link-phy 2m --json": "another PHY, as JSON",
            "blectl link -d 'Pulse HR' --link-interval 15ms..30ms": "a shorter interval",
            "blectl link -d 'Pulse HR' --signal -n 5": "the signal, five times",
        ],
        seeAlso: ["scan", "session"]
    )

    let options: LinkOptions
    let target: DeviceOptions

    init(_ arguments: ParsedArguments) throws(UsageError) {
        var target = try DeviceOptions(arguments, operand: arguments[DeviceSpec.operand], raisesSecurity: false)
        target.connection.observesLink = true
        // The command changes the link itself.
        target.connection.link = nil
        self.target = target
        options = try LinkOptions(arguments)
    }

    func action(on found: String?) -> String { "look at the link to \(target.text(found))" }

    var limits: StopLimits? { options.signal?.limits }

    var absentRecords: [RecordSchema] { options.signal == nil ? [SignalResult.record.schema] : [] }

    func run(in context: CommandContext) async throws {
        try await context.run(LinkOperation(options), on: target)
    }
}

extension CommandName {
    static var link: CommandName { CommandName("link", LinkCommand.self) }
}

struct LinkOptions: Sendable, Equatable {
    /// The stream of signal strengths (`--signal`).
    struct Signal: Sendable, Equatable {
        var limits = StopLimits()
        var period = Duration.seconds(1)
    }

    var request: LinkRequest
    /// The stream; `nil` to show the link once.
    var signal: Signal?
}

extension LinkOptions {
    init(_ arguments: ParsedArguments) throws(UsageError) {
        request = try LinkRequest(arguments)
        guard arguments[LinkCommand.signal] else {
            for option in [LinkCommand.count.spec, LinkCommand.duration.spec, LinkCommand.period.spec]
            where arguments.isGiven(option) {
                throw arguments.impossible("'--\(option.long)' needs '--signal'")
            }
            return
        }
        var signal = Signal(limits: StopLimits(arguments, count: LinkCommand.count, duration: LinkCommand.duration))
        if let period = arguments[LinkCommand.period] { signal.period = period }
        self.signal = signal
    }
}
