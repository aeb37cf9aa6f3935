// SPDX-License-Identifier: GPL-2.0-or-later

package import BluetoothProfiles
package import Toolkit

/// The definitions that are known before a script runs.
package struct ScriptConstants: Sendable {
    package let commands: CommandSet
    /// The values of variables from `--define`.
    package var definitions: [String: String] = [:]
    package var environment: [String: String] = [:]
    package var formats = FormatCatalogue.assigned
    /// Whether the script runs on a real radio, so that there is no world to touch.
    package var isOnAir = false
    /// Whether no device has to be named, because one is at the other end of a socket.
    package var isDeviceGiven = false

    /// Whether a script is standard input, so that its steps have none.
    package var isStandardInput = false

    /// Whether conditions are compared with the fields that a step can have (`--dry-run`). A step that runs tells of
    /// such a fault itself, so that its test fails and others go on.
    package var checksFields = false

    /// The value of a part of a word; `nil` if it is not known.
    package func value(_ part: ScriptWord.Part) -> String? {
        switch part {
        case .literal(let text): text
        case .environment(let name): environment[name]
        // `--define` gives texts, which have no fields.
        case .variable(let name, let path): path.isEmpty ? definitions[name] : nil
        }
    }
}
