// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
package import BluetoothDevices
import CommandLineInterface
import Terminal

package enum DeviceFiles {
    /// The worlds of several files, or built-in ones by their words, put together: all of their devices, and the first
    /// seed that one states.
    package static func world(_ files: [String]) throws(BlectlError) -> WorldFile {
        var world = WorldFile(devices: [])
        var labels: Set<String> = []
        var addresses: Set<DeviceAddress> = []
        for file in files {
            let bytes: [UInt8]
            if let world = BuiltInWorld.named(file) {
                bytes = Array(world.text.utf8)
            } else if let device = BuiltInDevice.named(file) {
                bytes = Array(device.text.utf8)
            } else {
                bytes = try self.bytes(of: file)
            }
            let part: WorldFile
            do throws(DeviceFileErrors) {
                part = try read(file, bytes)
            } catch {
                throw BlectlError(error, of: file)
            }
            world.seed = world.seed ?? part.seed
            for device in part.devices {
                guard labels.insert(device.label).inserted else {
                    throw BlectlError(.badData, cannot: "use \(file)", "there are two devices '\(device.label)'")
                }
                guard addresses.insert(device.address).inserted else {
                    throw BlectlError(
                        .badData,
                        cannot: "use \(file)",
                        "there are two devices with the address \(device.address.address)"
                    )
                }
                world.devices.append(device)
            }
        }
        return world
    }

    /// The one device of a file, of standard input for `-`.
    package static func device(_ file: String) throws(BlectlError) -> DeviceDefinition {
        let bytes = try bytes(of: file)
        do throws(DeviceFileErrors) {
            return try DeviceFile.read(bytes, named: name(of: file), csv: files(beside: file))
        } catch {
            throw BlectlError(error, of: name(of: file))
        }
    }

    /// The world of a file's content; the files that it names are found beside it.
    package static func read(_ file: String, _ bytes: [UInt8]) throws(DeviceFileErrors) -> WorldFile {
        let sources = WorldFile.Sources(
            builtInLabels: (BuiltInDevice.all + BuiltInDevice.apart).map(\.label),
            builtIn: { BuiltInDevice.named($0).flatMap { try? $0.definition() } },
            file: files(beside: file)
        )
        return try WorldFile.read(bytes, named: name(of: file), sources)
    }

    /// Whether a file has text, as device files do, and is no capture. Standard input and a pipe count as text, because
    /// their beginning can be read only once.
    package static func isText(_ file: String) throws(BlectlError) -> Bool {
        if file == "-" || StandardStreams.mayWait(file) { return true }
        let beginning = try StandardStreams.read(file, limit: 8).prefix(8)
        return beginning.allSatisfy { (0x20...0x7E).contains($0) || (0x09...0x0D).contains($0) }
    }

    /// Returns a function that reads the files that a file names, relative to its folder.
    private static func files(beside file: String) -> (String) throws -> [UInt8] {
        let folder = file.lastIndex(of: "/").map { String(file[...$0]) } ?? ""
        return { name in
            do throws(BlectlError) {
                return try bytes(of: name.hasPrefix("/") ? name : folder + name)
            } catch {
                throw Unreadable(description: error.reason)
            }
        }
    }

    package static func name(of file: String) -> String { file == "-" ? "standard input" : file }

    /// Files in words, as other errors name them.
    package static func list(_ files: [String]) -> String { Prose.list(files.map { name(of: $0) }, "and") }

    /// Why a file that another one names cannot be read, in words.
    private struct Unreadable: Error, CustomStringConvertible {
        let description: String
    }

    /// The octets of a file, or of standard input for `-`.
    package static func bytes(of file: String) throws(BlectlError) -> [UInt8] {
        try StandardStreams.read(file, limit: DeviceFile.maximumSize)
    }
}

extension String {
    /// Whether a word that may be a device or a file is rather meant as a file.
    package var looksLikeFile: Bool { contains("/") || hasSuffix(".json") }
}

extension BlectlError {
    package init(_ faults: DeviceFileErrors, of file: String) {
        self = BlectlError(.badData, cannot: "use \(file)", "it has \(DeviceFileReport.count(faults))")
            .with(details: faults.errors.map(\.description))
    }
}

/// The words for the faults of a file.
package enum DeviceFileReport {
    /// `1 fault`, `200 faults or more`
    package static func count(_ faults: DeviceFileErrors) -> String {
        "\(count: faults.errors.count, "fault")" + (faults.isIncomplete ? " or more" : "")
    }
}
