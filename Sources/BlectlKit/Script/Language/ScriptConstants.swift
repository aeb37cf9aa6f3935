// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothProfiles

/// The definitions that are known before a script runs.
struct ScriptConstants: Sendable {
    /// The values of variables from `--define`.
    var definitions: [String: String] = [:]
    /// The variables of the process.
    var environment: [String: String] = [:]
    /// The names and formats of private characteristics.
    var formats = FormatCatalogue.assigned
    /// Whether no device has to be named, because one is at the other end of a socket.
    var isDeviceGiven = false

    /// The value of a part of a word; `nil` if it is not known.
    func value(_ part: ScriptWord.Part) -> String? {
        switch part {
        case .literal(let text): text
        case .environment(let name): environment[name]
        // `--define` gives texts, which have no fields.
        case .variable(let name, let path): path.isEmpty ? definitions[name] : nil
        }
    }
}
