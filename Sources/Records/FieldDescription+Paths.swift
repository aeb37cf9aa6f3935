// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothProfiles

extension [FieldDescription] {
    /// Whether a decoded value with these fields has something at a path of keys, and of indices into arrays. The unit
    /// at the end of a name may be left out. A field without a key is the whole value.
    package func haveField(at path: ArraySlice<String>) -> Bool {
        guard let name = path.first else { return true }
        return contains { field in
            field.key.isEmpty ? field.hasPart(at: path) : name.means(field.key) && field.hasPart(at: path.dropFirst())
        }
    }
}

extension FieldDescription {
    /// Whether the content of the field can have something at a path. A number, a text and a truth value have no parts.
    fileprivate func hasPart(at path: ArraySlice<String>) -> Bool {
        guard let name = path.first else { return true }
        let rest = path.dropFirst()
        switch kind {
        case .object: return members.haveField(at: path)
        case .array: return UInt(name) != nil && members.haveField(at: rest)
        // An array of names.
        case .flags: return UInt(name) != nil && rest.isEmpty
        case .number, .choice, .date, .text, .hex, .bool: return false
        }
    }
}
