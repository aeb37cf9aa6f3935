// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothProfiles
import Records
import Toolkit

/// The names of the fields that records can have: those of their schemas, and those of the formats of values.
///
/// A mistyped name is none of them. All kinds of records and all values of the step count, because one stream may have
/// several.
struct KnownFields {
    /// The names and formats of private characteristics, beside the assigned ones.
    package let formats: FormatCatalogue
    package let keys: [RecordKey]
    /// The names that the results of the step can have; `nil` allows those of every command.
    package var scope: ResultScope?

    /// The fields of the assigned formats, and of those that only a profile has for its own characteristics.
    private static let assigned =
        (CharacteristicFormat.all.compactMap { CharacteristicFormat.of($0) }
        + Profile.all.flatMap { $0.sources + $0.variants.flatMap(\.sources) }.compactMap(\.format)).flatMap(
            \.possibleFields
        )

    /// Whether a record can have a field at this path. The unit at the end of a name may be left out.
    package func contain(_ path: [String]) -> Bool {
        guard let first = path.first else { return true }
        if first == LineFormat.openKey, path.count > 1 { return areDecoded(path) }
        let keys = scope?.keys ?? keys
        return keys.haveKey(at: path[...]) || [RecordSchema.timing].haveKey(at: path[...]) || areDecoded(path)
    }

    /// Whether a value can have a field at this path, with `decoded` at its beginning or without.
    func areDecoded(_ path: [String]) -> Bool {
        // `decoded` alone is the key of a record, and no field of a value.
        let path = path.count > 1 && path.first == LineFormat.openKey ? path.dropFirst() : path[...]
        if let fields = scope?.fields { return fields.haveField(at: path) }
        let own = formats.characteristics.compactMap(\.format).flatMap(\.fields)
        return own.haveField(at: path) || Self.assigned.haveField(at: path) || Self.areOfNoFormat(path)
    }

    /// The names beside one that is not there, as far as they are known before there is a result: those of values
    /// first.
    package func names(near path: [String]) -> [String] {
        let parent = path.dropLast()
        var names: [String] = []
        if parent.isEmpty || parent == [LineFormat.openKey] {
            names = Set((scope?.fields ?? []).map(\.key)).filter { !$0.isEmpty }.sorted()
        }
        let keys = parent.reduce(scope?.keys ?? keys) { keys, name in
            // The keys of an array are those of its elements.
            UInt(name) != nil ? keys : keys.filter { name.means($0.name) }.flatMap(\.type.allKeys)
        }
        return names + Set(keys.map(\.name)).subtracting(names).sorted()
    }

    /// Whether a value can have such a field although it is in no format with a name: the numbers of `--as`, the
    /// members by the formats of the device's own descriptors, and what a profile computes from several measurements.
    private static func areOfNoFormat(_ path: ArraySlice<String>) -> Bool {
        guard let name = path.first else { return true }
        let rest = path.dropFirst()
        if UInt(name) != nil { return rest.isEmpty }
        if name == PresentationFormats.listKey {
            guard let index = rest.first else { return true }
            return UInt(index) != nil && arePresented(rest.dropFirst())
        }
        return arePresented(path) || rest.isEmpty && MeasurementDecoder.derivedKeys.contains { name.means($0) }
    }

    /// Whether a value in the format of a Presentation Format descriptor has such a field; a pair of
    /// numbers has two elements.
    private static func arePresented(_ path: ArraySlice<String>) -> Bool {
        guard let name = path.first else { return true }
        let rest = path.dropFirst()
        return switch name {
        case "unit": rest.isEmpty
        case "value": rest.count < 2 && rest.allSatisfy { UInt($0) != nil }
        default: false
        }
    }
}
