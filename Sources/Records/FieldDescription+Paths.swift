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

extension String {
    /// Whether the name of a field, which may lack its unit, can mean a key.
    package func means(_ key: String) -> Bool { key == self || key.hasPrefix("\(self)_") }
}

extension RecordType {
    /// The keys of the object, or of the objects in the array, with those that depend on the content.
    package var allKeys: [RecordKey] {
        switch self {
        // The only open objects are those of beacons.
        case .object(let keys, let isOpen): isOpen ? keys + BeaconKeys.all : keys
        case .array(let element): element.allKeys
        case .optional(let type): type.allKeys
        case .string, .time, .hex, .uuid, .integer, .number, .boolean, .any: []
        }
    }

    /// Whether a value of the type can have something at a path of keys, and of indices into arrays. The unit at the
    /// end of a name may be left out.
    func hasPart(at path: ArraySlice<String>) -> Bool {
        guard let name = path.first else { return true }
        switch self {
        case .object: return allKeys.haveKey(at: path)
        case .array(let element): return UInt(name) != nil && element.hasPart(at: path.dropFirst())
        case .optional(let type): return type.hasPart(at: path)
        case .any: return true
        case .string, .time, .hex, .uuid, .integer, .number, .boolean: return false
        }
    }
}

extension [RecordKey] {
    /// Whether a record with these keys can have something at a path of keys, and of indices into arrays. The unit at
    /// the end of a name may be left out.
    package func haveKey(at path: ArraySlice<String>) -> Bool {
        guard let name = path.first else { return true }
        return contains { name.means($0.name) && $0.type.hasPart(at: path.dropFirst()) }
    }
}
