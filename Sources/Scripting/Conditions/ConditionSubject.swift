// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
package import BluetoothProfiles
import Records
import Terminal

/// The object of a condition: a record of a step, the state of a link, or the text of a variable.
package struct ConditionSubject: Sendable, Equatable {
    package var record: JSONValue
    /// Why fields are not known, by their names.
    package var unknown: [String: String] = [:]
    /// Whether the case of letters does not count: the texts are words of blectl, as `2M` is.
    var ignoresCase = false

    package enum Content: Sendable, Equatable {
        /// Octets without a known format.
        case octets([UInt8])
        /// A number, a truth value, a text, a list or an object.
        case plain(JSONValue)
    }

    /// The octets of the record's value; `nil` if it has none.
    package var octets: [UInt8]? {
        record.text(at: "value").flatMap { Hex.bytes($0) }
    }

    /// Why the value is octets and nothing else.
    var reasonForOctets: String {
        var fields: [JSONValue.Member] = []
        if case .object(let members)? = record["decoded"] { fields = members }
        let names = fields.isEmpty ? "decoded" : Prose.list(fields.map(\.key).sorted(), "and")
        // The value itself is decoded, but the record's field 'value' is not.
        if case .plain? = value { return "the field 'value' is octets, and means \(names)" }
        guard !fields.isEmpty else { return "its format is not known, so that it is not a number" }
        // The only field of a value that has its format is the value itself.
        return fields.count == 1
            ? "it does not have its format, so that there is no \(names)"
            : "as a whole it is octets; its fields are \(names)"
    }

    /// The format of the value; `nil` if it is not known.
    package func format(in formats: FormatCatalogue) -> CharacteristicFormat? {
        if let uuid = record.text(at: "descriptor") {
            return BluetoothUUID(uuid).flatMap { DescriptorValue.format(ofDescriptor: $0) }
        }
        return record.text(at: "characteristic").flatMap { BluetoothUUID($0) }.flatMap { formats.format(of: $0) }
    }

    package var isDescriptor: Bool { record.text(at: "descriptor") != nil }

    /// The value itself: the decoded number or text, else the only member of the decoded object, else the octets.
    package var value: Content? {
        switch record {
        case .string, .number, .bool, .array: return .plain(record)
        case .null: return nil
        case .object: break
        }
        switch record["decoded"] {
        case (let decoded?) where decoded.isScalar: return .plain(decoded)
        case .object(let members)? where members.count == 1:
            // If a decoded object has only one member, a script's value means that member.
            if let only = members.first?.value, only != .null { return .plain(only) }
        default: break
        }
        return octets.map { .octets($0) }
    }

    /// The content at a path, which is looked for in the decoded value and then in the record; `nil` if there is none.
    package func content(at path: [String]) -> Content? {
        // The decoded value goes first. Its names come from the format, and may be the same as those of the
        // record.
        if let found = record["decoded"]?[path] { return .plain(found) }
        // In the record, the octets are hexadecimal text. As octets they can be masked, and have a length.
        if path == ["value"], let octets { return .octets(octets) }
        return record[path].map { .plain($0) }
    }

    /// The names between which a path is ambiguous; empty if it stands for one field, or for none.
    func ambiguousNames(at path: [String]) -> [String] {
        let decoded = record["decoded"]?.ambiguousKeys(at: path[...]) ?? []
        return decoded.isEmpty ? record.ambiguousKeys(at: path[...]) : decoded
    }

    /// The names of the fields beside one that is not there: those of the decoded value first.
    package func names(near path: [String]) -> [String] {
        var names: [String] = []
        let parent = path.dropLast()
        for object in [record["decoded"]?[parent], record[parent]] {
            if case .object(let members)? = object {
                names += members.map(\.key).sorted().filter { !names.contains($0) }
            }
        }
        return names
    }

    /// The value in one line: in words as the record has them, else the value itself.
    package var words: String? {
        if let text = record.text(at: "text") { return TerminalText.escaped(text) }
        return value.map(\.text)
    }
}

extension ConditionSubject.Content {
    /// The content on one line, safe to print: text is quoted.
    package var text: String {
        switch self {
        case .octets(let octets): octets.isEmpty ? "no octets" : "0x\(Hex.string(octets))"
        case .plain(.string(let text)): Prose.quoted(text)
        // It has no elements that could be shown.
        case .plain(.array(let elements)) where elements.isEmpty: "an empty list"
        case .plain(let value): value.line ?? "null"
        }
    }
}
