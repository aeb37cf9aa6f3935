// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface

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
