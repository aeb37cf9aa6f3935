// SPDX-License-Identifier: GPL-2.0-or-later

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
