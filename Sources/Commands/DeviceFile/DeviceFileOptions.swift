// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface

/// The options of `blectl device`.
struct DeviceFileOptions: Sendable, Equatable {
    /// The work to do with the files.
    let action: DeviceFileAction
    /// The names of the files.
    let files: [String]
}

extension DeviceFileOptions {
    /// Reads the options from a command line.
    init(_ arguments: ParsedArguments) {
        action = arguments[DeviceFileCommand.action]
        files = arguments[DeviceFileCommand.files]
    }
}
