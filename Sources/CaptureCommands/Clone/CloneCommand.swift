// SPDX-License-Identifier: GPL-2.0-or-later

package import CommandLineInterface
package import Records
import Terminal
package import Toolkit

/// `blectl clone`: writes a device as a device file, even if a part of it could not be read.
package struct CloneCommand: DeviceCommand {
    package static var commandName: CommandName { .clone }
    package static let recordSchemas: [RecordSchema] = [CloneResult.record.schema]

    static let values = Option(
        flag: "values",
        summary: "read every value that can be read",
        details: "Without it, only those of Generic Access and of descriptors are read."
    )

    static let record = Option(
        value: "record",
        .duration,
        summary: "record notifications and indications for this time",
        details: """
            Subscribes to all that notify or indicate, and keeps up to 20,000 values. The clone sends them with the \
            same timing, and from the beginning after this time.
            """
    )

    static let listenTime = Option(
        value: "listen-time",
        .duration,
        default: "3",
        summary: "how long to listen to its advertisements",
        details: """
            Longer gives a better interval, and more of changing data. If the device is not heard on LE 1M, LE Coded \
            follows.
            """
    )

    static let capture = Option(
        value: "from",
        .text("CAPTURE", completion: .file),
        excludes: ["values", "record", "listen-time"],
        summary: "clone a device from a capture of its traffic",
        details: """
            Such as of `--capture`, `btmon -w` or a phone. Without a device, it must have links to one only.
            """
    )

    static let hint = Option(
        value: "gatt",
        .text("FILE", completion: .file),
        summary: "what its handles are, if CAPTURE does not tell",
        details: "A device file, or another capture, for `--from`."
    )

    static let output = Option(
        value: "output",
        short: "o",
        .text("FILE", completion: .file),
        summary: "write the device file there, not to standard output"
    )

    package static let spec = CommandSpec(
        commandName,
        [.deviceCommand],
        summary: "write a live device as a device file",
        discussion: [
            """
            Listens to a device, connects, discovers everything, and prints a device file: advertising sets with data, \
            scan responses and intervals, services, included services, characteristics and descriptors at their \
            handles, and the largest MTU.
            """,
            """
            Values that need a pairing are noted with the weakest security that fits: the device's error does not tell \
            an encrypted from an authenticated link. Values that are refused or never answered are cloned as such. \
            Intervals are estimated from the times of advertisements. What writes do cannot be seen; in the clone they \
            replace the value.
            """,
            """
            With `--from`, nothing is sent. The clone has what a capture tells: discovered attributes, values that \
            were read, what was sent and when, what was refused, and advertising. A value sent after a write to the \
            same service is its answer in the clone, too.
            """,
            """
            Of a device that accepts no connections, such as a beacon, only the advertising is cloned; `--name` and \
            `--service` choose it if no other that fits is heard in `--listen-time`. Standard error has what could not \
            be cloned exactly.
            """,
        ],
        arguments: [DeviceSpec.operand.spec],
        options: [values.spec, record.spec, listenTime.spec, capture.spec, hint.spec, output.spec],
        groups: [.device, .link, .global],
        examples: [
            "blectl clone C8:4B:1D:3A:90:5E --values > strap.json": "a device with its values",
            "blectl clone --name 'Pulse *' --record 30s --output strap.json": "with half a minute of what it sends",
            "blectl clone --from btsnoop_hci.log -d 'Pulse HR' > strap.json": "what a phone has seen of it",
        ],
        seeAlso: ["inspect", "diff", "serve", "trace"]
    )

    let options: CloneOptions
    package let target: DeviceOptions

    package init(_ arguments: ParsedArguments) throws(UsageError) {
        target = try DeviceOptions(
            arguments,
            operand: arguments[DeviceSpec.operand],
            raisesSecurity: false,
            isNeeded: arguments[Self.capture] == nil
        )
        options = CloneOptions(arguments)
        guard options.hint == nil || options.capture != nil else {
            throw arguments.impossible("'--gatt' is for '--from CAPTURE'")
        }
    }

    package var isForItsOutput: Bool { options.output == nil }
    package var writtenFiles: [(option: String, path: String)] { options.output.map { [("--output", $0)] } ?? [] }

    package func action(on found: String?) -> String { "clone \(target.text(found))" }

    package func run(in context: CommandContext) async throws {
        // Before a long recording, which would be lost if the file could not be created.
        let file = try await context.creating(options.output)
        // A clone that is incomplete is a result as well; its failure is thrown when the file is written.
        var (result, failure) = try await clone(in: context)
        for remark in result.remarks { context.diagnostics.note(remark) }
        if let file {
            try file.write(Array(result.file.utf8))
            result.path = file.path
        }
        try await context.output.emit(result)
        context.diagnostics.note(result.words)
        if let failure { throw failure }
    }

    private func clone(in context: CommandContext) async throws -> (result: CloneResult, failure: (any Error)?) {
        guard let capture = options.capture else {
            return try await DeviceCloner(options: options, device: target, context: context).clone()
        }
        return try await CaptureCloner(file: capture, selector: target.selector, hint: options.hint, context: context)
            .clone()
    }
}

extension CommandName {
    package static var clone: CommandName { CommandName("clone", CloneCommand.self) }
}

struct CloneOptions: Sendable, Equatable {
    var readsValues = false
    /// How long to record notifications; `nil` does not record.
    var recordingTime: Duration?
    var listeningTime = Duration.seconds(3)
    /// The path of the device file; `nil` for standard output.
    var output: String?
    /// The capture that the device is cloned from; `nil` for the device itself.
    var capture: String?
    /// The file that tells what handles in the capture are; `nil` for none.
    var hint: String?
}

extension CloneOptions {
    init(_ arguments: ParsedArguments) {
        readsValues = arguments[CloneCommand.values]
        recordingTime = arguments[CloneCommand.record]
        listeningTime = arguments[CloneCommand.listenTime]
        output = arguments[CloneCommand.output].flatMap { $0 == "-" ? nil : $0 }
        capture = arguments[CloneCommand.capture]
        hint = arguments[CloneCommand.hint]
    }
}
