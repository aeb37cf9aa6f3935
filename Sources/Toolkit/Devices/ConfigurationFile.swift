// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothDevices
import CommandLineInterface
import Glibc
import Terminal

enum ConfigurationFile {
    package enum Content: Sendable {
        /// The environment names no place for it.
        case noPlace
        /// There is none, or none that this user may look for; the reason is that of the system.
        case none(path: String, reason: String?)
        case bytes([UInt8], path: String)
    }

    /// The content of a file. Throws if it is the user's own and cannot be read.
    ///
    /// With the home of another user nothing is configured, which is no failure.
    ///
    /// - Parameter option: The option that names another file, for the hint.
    package static func content(
        of name: String,
        _ environment: (String) -> String?,
        option: String
    ) throws(BlectlError) -> Content {
        guard let file = path(name, environment) else { return .noPlace }
        do throws(BlectlError) {
            guard let bytes = try StandardStreams.readIfThere(file, limit: DeviceFile.maximumSize) else {
                return .none(path: file, reason: nil)
            }
            return .bytes(bytes, path: file)
        } catch {
            guard error.status == .cannotOpenInput, let reason = obstacle(before: file) else {
                throw error.with(hint: remedy(file, option: option))
            }
            return .none(path: file, reason: reason)
        }
    }

    /// What `parse` makes of the octets of a file, or an error that lists its faults.
    static func read<Value>(
        _ file: String,
        _ bytes: [UInt8],
        status: ExitStatus,
        _ parse: ([UInt8], _ name: String) throws(DeviceFileErrors) -> Value
    ) throws(BlectlError) -> Value {
        let name = DeviceFiles.name(of: file)
        do throws(DeviceFileErrors) {
            return try parse(bytes, name)
        } catch {
            throw BlectlError(status, cannot: "use \(name)", "it has \(DeviceFileReport.count(error))")
                .with(details: error.errors.map(\.description))
        }
    }

    /// What to do about a file that keeps every command that uses it from running.
    package static func remedy(_ file: String, option: String) -> String {
        let move = "mv \(Prose.word(file)) \(Prose.word(file + ".old"))"
        return "mend it, or move it away: \(move); '\(option) FILE' takes another one"
    }

    /// Why a file that cannot be opened is none of this user; `nil` if it is one.
    private static func obstacle(before file: String) -> String? {
        var status = stat()
        guard stat(file, &status) == 0 else { return String(cString: strerror(errno)) }
        return status.st_uid == geteuid() ? nil : "it belongs to another user (uid \(status.st_uid))"
    }

    /// The path of a file in `$XDG_CONFIG_HOME/blectl`, by default in `~/.config/blectl`; `nil` if the environment names
    /// no place.
    ///
    /// Spec: XDG Base Directory Specification 0.8
    private static func path(_ name: String, _ environment: (String) -> String?) -> String? {
        // The specification declares relative paths invalid.
        if let named = environment("XDG_CONFIG_HOME"), named.hasPrefix("/") { return "\(named)/blectl/\(name)" }
        guard let home = environment("HOME"), home.hasPrefix("/") else { return nil }
        return "\(home)/.config/blectl/\(name)"
    }
}
