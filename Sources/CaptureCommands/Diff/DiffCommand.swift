// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothDevices
package import CommandLineInterface
package import Records
import Terminal
package import Toolkit

/// `blectl diff`: compares two devices.
package struct DiffCommand: Command {
    package static var commandName: CommandName { .diff }
    package static let recordSchemas: [RecordSchema] = [DifferenceResult.record.schema, ComparisonResult.record.schema]

    private static let words = """
        A device file of that name, else a device of blectl by its label such as `pulse-strap`, else a live device by \
        address or name. `-` is standard input; `device:` before a word makes it a live device.
        """

    static let first = Argument(
        required: .text("A", completion: .servedDevice),
        summary: "the first device",
        details: words
    )

    static let second = Argument(
        required: .text("B", completion: .servedDevice),
        summary: "the second device, named in the same way"
    )

    static let ignoreHandles = Option(
        flag: "ignore-handles",
        summary: "do not compare handles",
        details:
            "Otherwise by their distance from that of the service, so that a move is reported once."
    )

    static let ignoreValues = Option(
        flag: "ignore-values",
        summary: "do not compare values, what reading them needs, and when they are sent"
    )

    static let ignoreAdvertising = Option(
        flag: "ignore-advertising",
        summary: "do not compare advertising"
    )

    package static let spec = CommandSpec(
        commandName,
        [
            .radio, .showsAddress, .pairsOnDemand, .timesRecords, .forItsOutput, .formats, .namesDevices,
            .comparesDevices,
        ],
        summary: "compare two devices",
        discussion: [
            """
            Compares two devices as clients see them: services, included services, characteristics, properties, \
            descriptors, handles, values, and advertising. Each line is a difference with its place: `-` only A has \
            it, `+` only B, `~` both, in different forms. The exit status is 1 if there are differences.
            """,
            """
            A live device is first cloned, as by `blectl clone --values`. Values that only one side generates, or that \
            one side does not state, as a clone without `--values`, are not compared; a note has their number, and \
            with `-v` which. Generated values are the same if their generators are; values that need security, if a \
            client without a key gets the same error.
            """,
            """
            Advertising is compared if both have any; intervals within 10 ms or a tenth are the same, because a clone \
            estimates them. Addresses, rules for writes, limits and faults are not compared. Options of connections are as in \
                DEVICE OPTIONS of `blectl(1)`.
            """,
        ],
        arguments: [first.spec, second.spec],
        options: [
            ignoreHandles.spec, ignoreValues.spec, ignoreAdvertising.spec, DeviceSpec.connectTimeout.spec.brief,
            DeviceSpec.retries.spec.brief, DeviceSpec.noWait.spec.brief, DeviceSpec.noCache.spec.brief,
            DeviceSpec.security.spec.brief,
            DeviceSpec.minimumKeySize.spec.brief, DeviceSpec.noPair.spec.brief,
        ],
        groups: [.global],
        examples: [
            "blectl clone C8:4B:1D:3A:90:5E --values -o strap.json": "keep what a device is",
            "blectl diff strap.json C8:4B:1D:3A:90:5E": "what has changed since then",
            "blectl diff strap.json 'Pulse HR' --ignore-values": "without the values",
        ],
        seeAlso: ["clone", "inspect"]
    )

    let options: DiffOptions

    package init(_ arguments: ParsedArguments) throws(UsageError) {
        options = try DiffOptions(arguments)
    }

    package func action(on found: String?) -> String {
        "compare \(Prose.list(options.devices.map { Prose.quoted($0) }, "and"))"
    }

    package var givenNames: [String] { options.givenNames }

    package var comparedDevices: [String] { options.devices }

    package static func source(of text: String, isFirst: Bool) -> String? { text == "-" ? "standard input" : nil }

    package static func literalHint(for word: String) -> String { "as the name of a device: device:\(word)" }

    package static func takesOperand(likeWorld word: String) -> Bool { true }

    package func run(in context: CommandContext) async throws {
        try await DiffRun(options: options, context: context).run()
    }
}

extension CommandName {
    package static var diff: CommandName { CommandName("diff", DiffCommand.self) }
}

struct DiffOptions: Sendable, Equatable {
    var devices: [String]
    var ignored: DeviceComparison.Parts = []
    var connection = ConnectionOptions()
}

extension DiffOptions {
    /// The prefix that distinguishes a device from a file with the same name.
    static let livePrefix = "device:"

    /// The words that may be names of devices: they are neither addresses nor files.
    var givenNames: [String] {
        devices.map { $0.hasPrefix(Self.livePrefix) ? String($0.dropFirst(Self.livePrefix.count)) : $0 }
            .filter { $0 != "-" && !$0.looksLikeFile && BluetoothAddress(inAnySpelling: $0) == nil }
    }

    init(_ arguments: ParsedArguments) throws(UsageError) {
        devices = [arguments[DiffCommand.first], arguments[DiffCommand.second]]
        if arguments[DiffCommand.ignoreHandles] { ignored.insert(.handles) }
        if arguments[DiffCommand.ignoreValues] { ignored.insert(.values) }
        if arguments[DiffCommand.ignoreAdvertising] { ignored.insert(.advertising) }
        connection = try ConnectionOptions(arguments)
    }
}
