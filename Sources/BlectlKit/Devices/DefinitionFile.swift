// SPDX-License-Identifier: GPL-2.0-or-later

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
            throw BlectlError(error, of: name)
        }
    }
}
