// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothProfiles
import CommandLineInterface
import Records
import Toolkit

/// `blectl notify`: listens to values.
struct NotifyCommand: DeviceCommand {
    static var commandName: CommandName { .notify }
    static let recordSchemas =
        [ValueResult.notification.schema, ValueResult.indication.schema] + InterruptionResult.schemas
    static let foreignNames = ["subscribe", "sub", "listen", "observe", "indicate", "notifications", "start-notify"]

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
        seeAlso: ["watch", "read"]
    )

    let options: NotifyOptions
    let target: DeviceOptions

    init(_ arguments: ParsedArguments) throws(UsageError) {
        let options = try NotifyOptions(arguments)
        target = try DeviceOptions(
            arguments,
            likely: options.targets.likelyService(in: arguments.formats).map { .likely($0) },
            reconnects: arguments[DeviceSpec.reconnect]
        )
        self.options = options
    }

    func action(on found: String?) -> String {
        "listen to \(AttributeTarget.list(options.targets)) of \(target.text(found))"
    }

    var limits: StopLimits? { options.limits }

    var writtenFiles: [(option: String, path: String)] { options.chart.map { [("--chart", $0.path)] } ?? [] }

    func formats(in formats: FormatCatalogue) -> [CharacteristicFormat?]? {
        options.format == nil ? options.targets.map { $0.format(in: formats) } : nil
    }

    func run(in context: CommandContext) async throws {
        let targets = options.targets.map(\.text).joined(separator: ", ")
        let observation = LiveObservation(
            subject: targets,
            limits: options.limits,
            thing: options.frames == nil ? .value : .frame
        )
        try await context.run(
            NotifyOperation(options),
            on: target,
            isRaw: options.isRaw,
            watching: observation,
            drawing: options.chart
        )
    }
}

extension CommandName {
    static var notify: CommandName { CommandName("notify", NotifyCommand.self) }
}

struct NotifyOptions: Sendable, Equatable {
    /// The characteristics, at least one and no descriptor.
    var targets: [AttributeTarget]
    /// The format of the values (`--as`); `nil` for that of the characteristic.
    var format: ValueFormat?
    /// The number of values of all targets together, and the time after the last subscription.
    var limits = StopLimits()
    /// Whether values are also taken that cannot be switched on.
    var listens = false
    /// How values are joined and cut into frames; `nil` for values as they come.
    var frames: FrameFormat?
    /// The file for a chart; `nil` for none.
    var chart: ChartFile?

    /// Whether only the octets of values are printed.
    var isRaw: Bool { format == .raw }
}

extension NotifyOptions {
    init(_ arguments: ParsedArguments) throws(UsageError) {
        targets = try arguments.targets(NotifyCommand.targets)
        if let descriptor = targets.first(where: \.isDescriptor) {
            throw arguments.impossible("cannot subscribe to \(descriptor): a descriptor does not notify")
        }
        format = arguments[ReadCommand.format]
        limits = StopLimits(arguments, count: NotifyCommand.count, duration: NotifyCommand.duration)
        listens = arguments[ValueOptions.listen]
        frames = arguments[NotifyCommand.frames]
        chart = arguments[ValueOptions.chart]
        if chart != nil, isRaw { throw arguments.impossible("'--as raw' decodes no numbers that '--chart' could draw") }
    }
}
