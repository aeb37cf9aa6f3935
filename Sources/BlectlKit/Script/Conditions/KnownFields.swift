// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothProfiles

/// The names of the fields that records can have: those of their schemas, and those of the formats of values.
///
/// A mistyped name is none of them. All kinds of records and all values of the step count, because one stream may have
/// several.
struct KnownFields {
    /// The names and formats of private characteristics, beside the assigned ones.
    let formats: FormatCatalogue
    /// The names that the results of the step can have; `nil` allows those of every command.
    var scope: ResultScope?

    private static let keys = RecordSchema.all.flatMap(\.allKeys)
    private static let assigned = CharacteristicFormat.all.compactMap { CharacteristicFormat.of($0) }.flatMap(\.fields)

    /// Whether a record can have a field at this path. The unit at the end of a name may be left out.
    func contain(_ path: [String]) -> Bool {
        guard let first = path.first else { return true }
        let keys = scope?.keys ?? Self.keys
        if first == LineFormat.openKey, path.count > 1 { return areDecoded(path) }
        return first == RunTiming.key || Self.isKey(path[...], among: keys) || areDecoded(path)
    }

    /// Whether a value can have a field at this path, with `decoded` at its beginning or without.
    func areDecoded(_ path: [String]) -> Bool {
        // `decoded` alone is the key of a record, and no field of a value.
        let path = path.count > 1 && path.first == LineFormat.openKey ? path.dropFirst() : path[...]
        if let fields = scope?.fields { return fields.haveField(at: path) }
        let own = formats.characteristics.compactMap(\.format).flatMap(\.fields)
        return own.haveField(at: path) || Self.assigned.haveField(at: path)
    }

    private static func isKey(_ path: ArraySlice<String>, among keys: [RecordKey]) -> Bool {
        guard let name = path.first else { return true }
        return keys.contains { name.means($0.name) && isPart(path.dropFirst(), of: $0.type) }
    }

    private static func isPart(_ path: ArraySlice<String>, of type: RecordType) -> Bool {
        guard let name = path.first else { return true }
        switch type {
        case .object(let keys, let isOpen): return isOpen || isKey(path, among: keys)
        case .array(let element): return Int(name) != nil && isPart(path.dropFirst(), of: element)
        case .optional(let type): return isPart(path, of: type)
        case .any: return true
        case .string, .time, .hex, .uuid, .integer, .number, .boolean: return false
        }
    }
}
