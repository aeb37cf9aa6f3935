// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothDevices

/// The options of `blectl diff`.
struct DiffOptions: Sendable, Equatable {
    /// The two devices as typed.
    var devices: [String]
    /// What does not count.
    var ignored: DeviceComparison.Parts = []
    /// The way to connect to live devices.
    var connection = ConnectionOptions()
}

extension DiffOptions {
    /// Reads the options from a command line.
    init(_ arguments: ParsedArguments) {
        devices = [arguments[DiffSpec.first], arguments[DiffSpec.second]]
        if arguments[DiffSpec.ignoreHandles] { ignored.insert(.handles) }
        if arguments[DiffSpec.ignoreValues] { ignored.insert(.values) }
        if arguments[DiffSpec.ignoreAdvertising] { ignored.insert(.advertising) }
        connection = ConnectionOptions(arguments)
    }
}
