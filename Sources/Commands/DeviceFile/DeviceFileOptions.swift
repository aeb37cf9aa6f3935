// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface

struct DeviceFileOptions: Sendable, Equatable {
    let action: DeviceFileAction
    let files: [String]
}

extension DeviceFileOptions {
    init(_ arguments: ParsedArguments) {
        action = arguments[DeviceFileCommand.action]
        files = arguments[DeviceFileCommand.files]
    }
}
