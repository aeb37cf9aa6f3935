// SPDX-License-Identifier: GPL-2.0-or-later

extension String {
    /// Whether the name of a field, which may lack its unit, can mean a key.
    package func means(_ key: String) -> Bool { key == self || key.hasPrefix("\(self)_") }
}
