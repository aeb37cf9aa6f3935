// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Records
import Toolkit

/// `blectl device`: checks and prints device files.
struct DeviceFileCommand: Command {
    static var commandName: CommandName { .device }
    static let recordSchemas: [RecordSchema] = [DeviceFileResult.record.schema, DeviceTextResult.record.schema]

    static let action = Argument(
        required: .choice("ACTION", of: DeviceFileAction.self),
        summary: "what to do with the files"
    )

    static let files = Argument(
        any: .text("FILE", completion: .servedDevice),
        summary: "a device file or a world file, for `check` and `show`",
        details: "`-` is standard input. The label of a device that is part of blectl stands for its file."
    )

    static let spec = CommandSpec(
        commandName,
        [.forItsOutput],
        summary: "check device files, and print those of blectl",
        discussion: [
            """
            `blectl-device(5)` describes device files and world files.
            """,
            """
            `check` prints what files contain, and all their faults: a line with the file, the line, the JSON path, \
            the value and what is allowed. A faulty file is status 65, one that cannot be opened 66.
            """,
            """
            `list` names the devices that are part of blectl: those of `--simulate`, and `bench`.
            """,
            """
            `show` prints a device of blectl, to start from, or of a file, as a complete and neat device file.
            """,
        ],
        arguments: [action.spec, files.spec],
        groups: [.global],
        examples: [
            "blectl device check strap.json": "check a file",
            "blectl device check *.json --json": "check several, as JSON for an editor",
            "blectl device show pulse-strap > strap.json": "start from a device of blectl",
        ],
        seeAlso: ["serve"]
    )

    let options: DeviceFileOptions

    init(_ arguments: ParsedArguments) throws(UsageError) {
        options = try DeviceFileOptions(arguments)
    }

    func action(on found: String?) -> String {
        options.files.isEmpty ? "list the devices" : "read \(DeviceFiles.list(options.files))"
    }

    static let stepRefusal: String? = "in a script 'device' declares a device"

    static func takesOperand(likeWorld word: String) -> Bool { true }

    func run(in context: CommandContext) async throws {
        try await DeviceFileRun(options: options, context: context).run()
    }
}

extension CommandName {
    static var device: CommandName { CommandName("device", DeviceFileCommand.self) }
}

package enum DeviceFileAction: String, OptionChoice {
    case check
    case show
    case list

    package var summary: String {
        switch self {
        case .check: "report the faults of files"
        case .show: "print devices as device files"
        case .list: "name the devices that are part of blectl"
        }
    }
}

struct DeviceFileOptions: Sendable, Equatable {
    let action: DeviceFileAction
    let files: [String]
}

extension DeviceFileOptions {
    init(_ arguments: ParsedArguments) throws(UsageError) {
        action = arguments[DeviceFileCommand.action]
        files = arguments[DeviceFileCommand.files]
        guard (action == .list) == files.isEmpty else {
            throw arguments.impossible(
                action == .list ? "'list' takes no files" : "'\(action.rawValue)' needs a file or a device of blectl",
                hint: "blectl device \(action == .list ? "show \(files[0])" : "list")"
            )
        }
    }
}
