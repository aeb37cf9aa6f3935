// SPDX-License-Identifier: MIT

/// A tree of JSON's kinds of values, with exact numbers.
public indirect enum JSONValue: Hashable, Sendable {
    /// Absent or unknown.
    case null
    /// True or false.
    case bool(Bool)
    /// A number; its description is a JSON number.
    case number(DecimalNumber)
    /// Text, unescaped.
    case string(String)
    /// Several values in order.
    case array([JSONValue])
    /// Members in order.
    case object([Member])

    /// One member of an object.
    public struct Member: Hashable, Sendable {
        /// The key: `heart_rate_bpm`.
        public let key: String
        /// The member's value.
        public let value: JSONValue

        /// Creates a member.
        public init(_ key: String, _ value: JSONValue) {
            self.key = key
            self.value = value
        }
    }
}

extension JSONValue {
    /// A number.
    public static func number(_ value: some FixedWidthInteger) -> Self { .number(DecimalNumber(value)) }

    /// The member of an object with that key; `nil` for other kinds and for unknown keys.
    public subscript(key: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key == key }?.value
    }
}
