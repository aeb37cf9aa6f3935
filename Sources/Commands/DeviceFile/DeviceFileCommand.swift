// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Records
import Toolkit

/// `blectl device`: checks and prints device files.
struct DeviceFileCommand: Command {
    static var commandName: CommandName { .device }
    static let recordSchemas: [RecordSchema] = [DeviceFileResult.record.schema, DeviceTextResult.record.schema]

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
