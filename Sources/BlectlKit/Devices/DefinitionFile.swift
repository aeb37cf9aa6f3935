// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothDevices

/// A device file on the disk.
enum DefinitionFile {
    /// The device of a file, or of standard input for `-`. Files that it names are found beside it.
    static func read(_ path: String) throws(BlectlError) -> DeviceDefinition {
        let name = path == "-" ? "standard input" : path
        let bytes = try StandardStreams.read(path, limit: DeviceFile.maximumSize)
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
        do throws(DeviceFileErrors) {
            return try DeviceFile.read(bytes, named: name) { file in
                try StandardStreams.read(file.hasPrefix("/") ? file : folder + file, limit: DeviceFile.maximumSize)
            }
        } catch {
            let faults = error.errors.map { "\n  " + TerminalText.escaped($0.description) }.joined()
            let count = "\(count: error.errors.count, "fault")" + (error.isIncomplete ? " or more" : "")
            throw BlectlError(.badData, cannot: "use \(TerminalText.escaped(name))", "it has \(count)" + faults)
        }
    }
}
