// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothDevices
import CommandLineInterface
import Toolkit

struct DiffOptions: Sendable, Equatable {
    /// The two devices as typed.
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
