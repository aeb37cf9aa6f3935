// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothProfiles
import CommandLineInterface
import Records
import Terminal
import Toolkit

/// `blectl read`: reads characteristics and descriptors.
struct ReadCommand: DeviceCommand {
    static var commandName: CommandName { .read }
    static let recordSchemas: [RecordSchema] = [ValueResult.value.schema]
    static let foreignNames = ["char-read", "char-read-hnd", "char-read-uuid", "read-gatt-char", "get"]

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
        seeAlso: ["inspect", "write", "notify"]
    )

    let options: ReadOptions
    let target: DeviceOptions

    init(_ arguments: ParsedArguments) throws(UsageError) {
        let options = try ReadOptions(arguments)
        let likely = options.targets.lazy.compactMap { $0.likelyService(in: arguments.formats) }.first
        target = try DeviceOptions(
            arguments,
            likely: likely.map { DeviceSelector.likely($0) },
            reconnects: options.reconnects
        )
        self.options = options
    }

    func action(on found: String?) -> String {
        "read \(options.text) from \(target.text(found))"
    }

    /// Without `--every` it ends by itself.
    var limits: StopLimits? { options.period == nil ? nil : options.limits }

    func formats(in formats: FormatCatalogue) -> [CharacteristicFormat?]? {
        options.format == nil ? options.targets.map { $0.format(in: formats) } : nil
    }

    func run(in context: CommandContext) async throws {
        let observation = LiveObservation(
            subject: options.targets.map(\.text).joined(separator: ", "),
            limits: options.limits,
            thing: .value
        )
        try await context.run(
            ReadOperation(options),
            on: target,
            isRaw: options.format == .raw,
            watching: options.period == nil ? nil : observation
        )
    }
}

extension CommandName {
    static var read: CommandName { CommandName("read", ReadCommand.self) }
}

struct ReadOptions: Sendable, Equatable {
    var targets: [ReadTarget]
    /// The format of the values (`--as`); `nil` for that of the attribute.
    var format: ValueFormat?
    /// The time between two reads of a value (`--every`); `nil` to read once.
    var period: Duration?
    /// The number of values of all targets together, and the time since the first read.
    var limits = StopLimits()
    var reconnects = false

    /// The first three texts of the user, for errors.
    var text: String {
        Prose.list(targets.prefix(3).map(\.text), "and") + (targets.count > 3 ? ", …" : "")
    }
}

extension ReadOptions {
    init(_ arguments: ParsedArguments) throws(UsageError) {
        targets = try arguments[ReadCommand.targets].map { text throws(UsageError) in
            try ReadTarget(text, in: arguments)
        }
        format = arguments[ReadCommand.format]
        period = arguments[ReadCommand.every]
        limits = StopLimits(arguments, count: ReadCommand.count, duration: ReadCommand.duration)
        reconnects = arguments[DeviceSpec.reconnect]
        guard period == nil else {
            for case .attribute(let target) in targets where target.isDescriptor {
                throw arguments.impossible("'--every' is for characteristics, and \(target) is a descriptor")
            }
            return
        }
        for option in [ReadCommand.count.spec, ReadCommand.duration.spec, DeviceSpec.reconnect.spec]
        where arguments.isGiven(option) {
            throw arguments.impossible("'--\(option.long)' needs '--every'", hint: "once a second: --every 1")
        }
    }
}
