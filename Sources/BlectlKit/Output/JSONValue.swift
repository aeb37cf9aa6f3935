// SPDX-License-Identifier: GPL-2.0-or-later

/// A JSON value of a record. An absent value is `null`, never a missing key.
public enum JSONValue: Sendable, Equatable {
    case null
    /// `true` or `false`
    case bool(Bool)
    /// A number without fraction.
    case integer(Int64)
    /// An integer above the range of those.
    case unsigned(UInt64)
    case number(Double)
    /// Text.
    case string(String)
    /// Values in order.
    case array([JSONValue])
    /// Named values; written in the order of their names.
    case object([String: JSONValue])

    /// A number without fraction, or `null`.
    public static func optional(_ value: (some BinaryInteger)?) -> JSONValue {
        value.map { .integer(Int64(clamping: $0)) } ?? .null
    }

    /// Text, or `null`.
    public static func optional(_ value: String?) -> JSONValue {
        value.map { .string($0) } ?? .null
    }

    /// A truth value, or `null`.
    public static func optional(_ value: Bool?) -> JSONValue {
        value.map { .bool($0) } ?? .null
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByArrayLiteral, ExpressibleByNilLiteral
{
    public init(stringLiteral value: String) { self = .string(value) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(integerLiteral value: Int64) { self = .integer(value) }
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    public init(nilLiteral: ()) { self = .null }
}
