// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothDevices
public import BluetoothProfiles

/// Reads format files from the disk.
public enum FormatFiles {
    /// The names and formats for a command line: those of `--formats`, or those of the user's configuration.
    public static func catalogue(
        for arguments: ParsedArguments,
        environment: (String) -> String?
    ) throws(BlectlError) -> FormatCatalogue {
        if let file = arguments[GlobalSpec.formats] {
            return try read(file, bytes: try DeviceFiles.bytes(of: file), status: .badData)
        }
        guard arguments.command.usesFormats, let file = configuration(environment),
            let bytes = try StandardStreams.readIfThere(file, limit: DeviceFile.maximumSize)
        else { return .assigned }
        // The command line does not name this file, so that a fault in it is one of the configuration.
        return try read(file, bytes: bytes, status: .configurationError)
    }

    private static func read(
        _ file: String,
        bytes: [UInt8],
        status: ExitStatus
    ) throws(BlectlError) -> FormatCatalogue {
        let name = DeviceFiles.name(of: file)
        do throws(DeviceFileErrors) {
            return try FormatFile.read(bytes, named: name)
        } catch {
            throw BlectlError(status, cannot: "use \(name)", "it has \(DeviceFileReport.count(error))")
                .with(details: error.errors.map(\.description))
        }
    }

    /// The file of the user's configuration: `$XDG_CONFIG_HOME/blectl/formats.json`, by default
    /// `~/.config/blectl/formats.json`. `nil` if the environment names no place.
    ///
    /// Spec: XDG Base Directory Specification 0.8
    private static func configuration(_ environment: (String) -> String?) -> String? {
        // The specification declares relative paths invalid.
        if let named = environment("XDG_CONFIG_HOME"), named.hasPrefix("/") { return "\(named)/blectl/formats.json" }
        guard let home = environment("HOME"), home.hasPrefix("/") else { return nil }
        return "\(home)/.config/blectl/formats.json"
    }
}

extension CommandName {
    /// Whether the command names services or attributes, or shows values, so that it reads the user's formats.
    fileprivate var usesFormats: Bool {
        switch self {
        case .scan, .inspect, .read, .write, .notify, .watch, .diff, .decode, .encode, .lookup: true
        default: false
        }
    }
}
