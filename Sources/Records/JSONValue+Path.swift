// SPDX-License-Identifier: GPL-2.0-or-later

package import BluetoothProfiles
import Terminal

extension JSONValue {
    /// The value at a path of keys, and of indices into arrays; `nil` if there is none. A key may lack the unit at its
    /// end.
    package subscript(path: ArraySlice<String>) -> JSONValue? {
        guard let key = path.first else { return self }
        switch self {
        case .object(let members):
            if let member = self[key] { return member[path.dropFirst()] }
            let meant = Self.keys(meantBy: key, in: members)
            guard let only = meant.first, meant.count == 1 else { return nil }
            return self[only]?[path.dropFirst()]
        case .array(let elements):
            guard let index = Int(key), elements.indices.contains(index) else { return nil }
            return elements[index][path.dropFirst()]
        case .null, .bool, .number, .string: return nil
        }
    }

    package subscript(path: [String]) -> JSONValue? { self[path[...]] }

    /// Whether it is a text, a number or a truth value.
    package var isScalar: Bool {
        switch self {
        case .string, .number, .bool: true
        case .null, .array, .object: false
        }
    }

    /// The text; `nil` for another value.
    package var text: String? { if case .string(let text) = self { text } else { nil } }

    /// The text at a key; `nil` if there is none.
    package func text(at key: String) -> String? { self[key]?.text }

    /// Whether a path does not exist, because an object on it lacks a member, or because a value on it has no members.
    /// An element after the end of an array, and a member of a null, may come with the next value.
    func lacksMember(at path: ArraySlice<String>) -> Bool {
        guard let key = path.first else { return false }
        switch self {
        case .object:
            guard let member = self[[key]] else { return true }
            // A value without a known format has no fields.
            if member == .null, path.count > 1, key == LineFormat.openKey { return true }
            return member.lacksMember(at: path.dropFirst())
        case .array(let elements):
            guard let index = Int(key) else { return true }
            return elements.indices.contains(index) && elements[index].lacksMember(at: path.dropFirst())
        case .null: return false
        case .bool, .number, .string: return true
        }
    }

    /// The value for a line, safe to print; `nil` for null. The elements of an array are separated by commas, unless
    /// some are arrays or objects themselves: these, and objects, are JSON.
    package var line: String? {
        switch self {
        case .null: return nil
        case .string(let text): return TerminalText.escaped(text)
        case .array(let elements):
            var parts: [String] = []
            for element in elements {
                switch element {
                case .array, .object: return json
                case .null, .bool, .number, .string: parts.append(element.line ?? "")
                }
            }
            return parts.joined(separator: ",")
        case .bool, .number, .object: return json
        }
    }

    /// The value as JSON on one line, with the keys in order.
    package var json: String {
        var json = JSONWriter()
        json.value(self)
        return String(decoding: json.bytes, as: UTF8.self)
    }
}
