// SPDX-License-Identifier: GPL-2.0-or-later

package import Foundation

/// A root folder with made-up folders of a kernel and its system: `sys`, `proc`, `etc` and others.
package struct MadeUpFolders: Sendable {
    package let url: URL

    /// Runs `body` with an empty root folder, which is removed afterwards.
    package static func use<Result>(_ body: (MadeUpFolders) async throws -> Result) async throws -> Result {
        try await TemporaryFolder.use { try await body(MadeUpFolders(url: $0)) }
    }

    /// Makes a folder, and those above it.
    package func folder(_ path: String) throws {
        try FileManager.default.createDirectory(at: url.appending(path: path), withIntermediateDirectories: true)
    }

    /// Makes a file, and the folders above it.
    package func file(_ path: String, _ content: String) throws {
        try file(path, Data(content.utf8))
    }

    /// Makes a file, and the folders above it.
    package func file(_ path: String, _ content: Data) throws {
        try folder((path as NSString).deletingLastPathComponent)
        try content.write(to: url.appending(path: path))
    }

    /// Makes a symbolic link, and the folders above it.
    package func link(_ path: String, to target: String) throws {
        try folder((path as NSString).deletingLastPathComponent)
        try FileManager.default.createSymbolicLink(
            atPath: url.appending(path: path).path,
            withDestinationPath: url.appending(path: target).path
        )
    }

    package func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: url.appending(path: path).path)
    }

    /// The content of a file without spaces at its ends; empty if there is no such file.
    package func word(_ path: String) -> String {
        let text = FileManager.default.contents(atPath: url.appending(path: path).path) ?? Data()
        return String(decoding: text, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Plugs a Bluetooth device in, on USB at `place`. Its vendor has four hexadecimal digits.
    package func dongle(_ place: String, vendor: String = "0a12", suspended: Bool, driver: Bool) throws {
        let device = "sys/devices/usb1/\(place)"
        let interface = "\(device)/\(place):1.0"
        try file("\(device)/idVendor", "\(vendor)\n")
        try file("\(device)/idProduct", "0001\n")
        try file("\(device)/power/runtime_status", suspended ? "suspended\n" : "active\n")
        try file("\(device)/power/control", suspended ? "auto\n" : "on\n")
        try file("\(interface)/bInterfaceClass", "e0\n")
        try file("\(interface)/bInterfaceSubClass", "01\n")
        try file("\(interface)/bInterfaceProtocol", "01\n")
        try link("sys/bus/usb/devices/\(place)", to: device)
        try link("sys/bus/usb/devices/\(place):1.0", to: interface)
        if driver {
            try folder("sys/bus/usb/drivers/btusb")
            try link("\(interface)/driver", to: "sys/bus/usb/drivers/btusb")
        }
    }
}
