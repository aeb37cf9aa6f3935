// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothProfiles

extension [FieldDescription] {
    /// Whether a decoded value with these fields has something at a path of keys, and of indices into arrays. The unit
    /// at the end of a name may be left out.
    func haveField(at path: ArraySlice<String>) -> Bool {
        guard let name = path.first else { return true }
        let rest = path.dropFirst()
        // The index of an element. Elements have no key of their own.
        if Int(name) != nil { return flatMap { $0.key.isEmpty ? $0.members : [$0] }.haveField(at: rest) }
        return contains { field in
            name.means(field.key) && (field.members.isEmpty || field.members.haveField(at: rest))
        }
    }
}
