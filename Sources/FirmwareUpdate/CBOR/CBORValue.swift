// SPDX-License-Identifier: MIT

package import Bluetooth

/// A data item of the Concise Binary Object Representation, in which MCUmgr writes its requests and responses.
///
/// Spec: RFC 8949, 3
package indirect enum CBORValue: Hashable, Sendable {
    /// A number from 0 to 2⁶⁴ − 1.
    case unsigned(UInt64)
    /// The number −1 − n.
    case negative(UInt64)
    case octets([UInt8])
    case text(String)
    case array([CBORValue])
    /// Items by their keys.
    case map(CBORMap)
    /// An item with a tag, which says what it means.
    case tagged(UInt64, CBORValue)
    case bool(Bool)
    case null
    /// A value that the sender does not know.
    case undefined
    /// A simple value without a meaning of its own: 0 to 19, or 32 to 255.
    case simple(UInt8)
    case float(Double)

    package init(_ number: Int) {
        self = number < 0 ? .negative(UInt64(-1 - number)) : .unsigned(UInt64(number))
    }
}

extension CBORValue {
    /// The whole number; `nil` for other items, and for a number that `Int` cannot hold.
    package var integer: Int? {
        switch self {
        case .unsigned(let number): Int(exactly: number)
        case .negative(let number): Int(exactly: number).map { -1 - $0 }
        default: nil
        }
    }

    /// The whole number from 0 on; `nil` for other items.
    package var count: Int? { integer.flatMap { $0 < 0 ? nil : $0 } }

    /// The octets of a byte string; `nil` for other items.
    package var bytes: [UInt8]? { if case .octets(let octets) = self { octets } else { nil } }

    /// The text; `nil` for other items.
    package var string: String? { if case .text(let text) = self { text } else { nil } }

    /// The truth value; `nil` for other items.
    package var flag: Bool? { if case .bool(let flag) = self { flag } else { nil } }

    /// The elements of a list; `nil` for other items.
    package var elements: [CBORValue]? { if case .array(let elements) = self { elements } else { nil } }

    /// The map; `nil` for other items.
    package var fields: CBORMap? { if case .map(let map) = self { map } else { nil } }
}

/// Items by their keys, of which no two are equal.
package struct CBORMap: Hashable, Sendable {
    /// The items. MCUmgr's keys are texts; a map of another sender may have any.
    package private(set) var items: [CBORValue: CBORValue] = [:]

    package init() {}

    /// The items of texts. A `nil` leaves its key out.
    package init(_ items: KeyValuePairs<String, CBORValue?>) {
        for (key, value) in items { self.items[.text(key)] = value }
    }

    package var count: Int { items.count }

    /// The item of a text.
    package subscript(key: String) -> CBORValue? {
        get { items[.text(key)] }
        set { items[.text(key)] = newValue }
    }

    /// The items whose keys are texts, in alphabetical order.
    package var named: [(key: String, value: CBORValue)] {
        items.compactMap { key, value in key.string.map { ($0, value) } }.sorted { $0.0 < $1.0 }
    }

    /// Adds an item. Returns `false`, and changes nothing, if there is one of that key.
    mutating func insert(_ value: CBORValue, for key: CBORValue) -> Bool {
        guard items[key] == nil else { return false }
        items[key] = value
        return true
    }

    /// The item of a key, in a type; `nil` if there is none. Throws if it is of another type.
    package func optional<Value>(
        _ key: String,
        _ type: KeyPath<CBORValue, Value?>
    ) throws(DecodeError) -> Value? {
        guard let item = self[key] else { return nil }
        guard let value = item[keyPath: type] else { throw DecodeError(key, .inconsistent("it has the wrong type")) }
        return value
    }

    /// The item of a key, in a type. Throws if there is none.
    package func required<Value>(
        _ key: String,
        _ type: KeyPath<CBORValue, Value?>
    ) throws(DecodeError) -> Value {
        guard let value = try optional(key, type) else { throw DecodeError(key, .inconsistent("it is missing")) }
        return value
    }
}
