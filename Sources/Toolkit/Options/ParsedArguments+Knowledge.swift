// SPDX-License-Identifier: GPL-2.0-or-later

package import BluetoothProfiles
package import CommandLineInterface

/// What commands know besides the words of their line.
private struct Knowledge: Sendable {
    var formats = FormatCatalogue.assigned
    var hasSessions = false
}

extension ParsedArguments {
    private var known: Knowledge { knowledge as? Knowledge ?? Knowledge() }

    /// The names and formats of private characteristics, beside the assigned ones. The texts of targets refer to them.
    package var formats: FormatCatalogue {
        get { known.formats }
        set {
            var known = known
            known.formats = newValue
            knowledge = known
        }
    }

    /// Whether a command that names no device may mean the device of a session.
    var hasSessions: Bool {
        get { known.hasSessions }
        set {
            var known = known
            known.hasSessions = newValue
            knowledge = known
        }
    }
}
