// SPDX-License-Identifier: GPL-2.0-or-later

package import BluetoothProfiles

/// The units at the ends of keys, which a path may leave out.
enum KeyUnits {
    /// The units at the ends of keys of records; a test compares them with these.
    package static let records: Set<String> = ["dbm", "ms", "ns", "us"]

    /// `percent`, `mg_per_dl`, `ms` and so on, as keys have them: those of the assigned formats, and of the records.
    package static let all: Set<String> = {
        let formats = CharacteristicFormat.all.compactMap { CharacteristicFormat.of($0) }
        var units = records
        for format in formats { KeyUnits.collect(format.possibleFields, into: &units) }
        return units
    }()

    private static func collect(_ fields: [FieldDescription], into units: inout Set<String>) {
        for field in fields {
            if let ending = ending(of: field) { units.insert(ending) }
            collect(field.members, into: &units)
        }
    }

    package static func ending(of key: RecordKey) -> String? {
        guard case .integer(let unit?) = key.type else { return nil }
        let ending = unit.lowercased()
        return key.name.hasSuffix("_\(ending)") ? ending : nil
    }

    private static func ending(of field: FieldDescription) -> String? {
        guard !field.unit.isEmpty else { return nil }
        let name = String(field.name.map { $0.isLetter || $0.isNumber ? $0 : "_" }) + "_"
        return field.key.hasPrefix(name) ? String(field.key.dropFirst(name.count)) : nil
    }
}

extension JSONValue {
    /// The keys of an object for which a name may stand that is not itself a key: the unit at the end may be left out.
    ///
    /// A key that consists of the name and a unit takes precedence: `spo2` is `spo2_percent`, and not
    /// `spo2_fast_percent`. If a quantity has a key for each of several units, the one that is present and not null is
    /// taken.
    package static func keys(meantBy name: String, in members: [Member]) -> [String] {
        let longer = members.filter { $0.key.hasPrefix("\(name)_") }.sorted { $0.key < $1.key }
        guard longer.count > 1 else { return longer.map(\.key) }
        let units = longer.filter { KeyUnits.all.contains(String($0.key.dropFirst(name.count + 1))) }
        guard let first = units.first else { return longer.map(\.key) }
        let present = units.filter { $0.value != .null }
        return present.isEmpty ? [first.key] : present.map(\.key)
    }

    /// The keys between which a path is ambiguous; empty if it stands for one key, or for none.
    package func ambiguousKeys(at path: ArraySlice<String>) -> [String] {
        guard let key = path.first else { return [] }
        guard case .object(let members) = self, self[key] == nil else {
            return self[[key]]?.ambiguousKeys(at: path.dropFirst()) ?? []
        }
        let meant = Self.keys(meantBy: key, in: members)
        if meant.count > 1 { return meant }
        return meant.first.flatMap { self[$0] }?.ambiguousKeys(at: path.dropFirst()) ?? []
    }
}
