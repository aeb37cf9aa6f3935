// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothDevices
package import BluetoothProfiles
package import CommandLineInterface

package enum FormatFiles {
    /// The state of the file of the user's configuration.
    package enum Configuration: Sendable {
        /// The environment names no place for it.
        case noPlace
        /// There is none, or none that this user may look for; the reason is that of the system.
        case none(path: String, reason: String?)
        case content(path: String, FormatCatalogue)
    }

    /// The names and formats for a command line: those of `--formats`, or those of the user's configuration; before them
    /// the labels of the device files that `--simulate` names, or of those of the world whose socket it names.
    ///
    /// - Parameters:
    ///   - arguments: The command line.
    ///   - environment: Returns the value of a variable.
    ///   - sharedLabels: Asks for the labels of the world whose socket is at a path.
    ///   - remark: Called with the reason if a configuration cannot be looked for, as with the home of another
    ///   user. Nothing is configured then, so that this is no failure.
    package static func catalogue(
        for arguments: ParsedArguments,
        environment: (String) -> String?,
        sharedLabels: (String) -> [AssignedNumber] = { _ in [] },
        remark: (String) -> Void
    ) throws(BlectlError) -> FormatCatalogue {
        let named = try namedCatalogue(for: arguments, environment, remark)
        let worlds = arguments[GlobalSpec.simulate] ?? []
        if let path = worlds.first, worlds.count == 1, case .stream = FileLocation(path) {
            return named.adding(labels: sharedLabels(path))
        }
        // Files that cannot be used are an error when the world is made. What is no file can be read only once.
        let files = worlds.filter { path in
            if case .existing = FileLocation(path) { true } else { false }
        }
        guard !files.isEmpty, let world = try? DeviceFiles.world(files) else { return named }
        return named.adding(labels: world.devices.flatMap(\.labels))
    }

    private static func namedCatalogue(
        for arguments: ParsedArguments,
        _ environment: (String) -> String?,
        _ remark: (String) -> Void
    ) throws(BlectlError) -> FormatCatalogue {
        if let file = arguments[GlobalSpec.formats] {
            return try ConfigurationFile.read(file, try DeviceFiles.bytes(of: file), status: .badData, FormatFile.read)
        }
        guard arguments.command.has(.formats) else { return .assigned }
        switch try configuration(environment) {
        case .content(_, let formats): return formats
        case .none(let path, let reason?):
            remark("no formats are read from \(path): \(reason)")
            return .assigned
        case .noPlace, .none(_, nil): return .assigned
        }
    }

    /// The content of the user's configuration. Throws if the file is damaged, or is the user's own and cannot be read.
    package static func configuration(_ environment: (String) -> String?) throws(BlectlError) -> Configuration {
        let option = "--formats"
        switch try ConfigurationFile.content(of: "formats.json", environment, option: option) {
        case .noPlace: return .noPlace
        case .none(let path, let reason): return .none(path: path, reason: reason)
        case .bytes(let bytes, let path):
            do throws(BlectlError) {
                // The command line does not name this file, so that a fault in it is one of the configuration.
                let formats = try ConfigurationFile.read(path, bytes, status: .configurationError, FormatFile.read)
                return .content(path: path, formats)
            } catch {
                throw error.with(hint: ConfigurationFile.remedy(path, option: option))
            }
        }
    }
}
