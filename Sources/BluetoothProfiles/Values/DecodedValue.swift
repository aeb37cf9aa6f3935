// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

/// A value that was made sense of: once as a line for people, once as a tree for programs.
public struct DecodedValue: Hashable, Sendable {
    /// A tree of the kinds that JSON knows.
    public indirect enum Content: Hashable, Sendable {
        /// Not there, or not known.
        case null
        /// True or false.
        case bool(Bool)
        /// A number; its description is a JSON number.
        case number(DecimalNumber)
        /// Text, as it came over the air: not escaped.
        case string(String)
        /// Several of the same.
        case array([Content])
        /// Members in the order of the specification. Keys are in snake case and end with the unit: `heart_rate_bpm`.
        case object([Member])
    }

    /// One member of an object.
    public struct Member: Hashable, Sendable {
        /// The key: `heart_rate_bpm`.
        public let key: String
        /// What stands under it.
        public let value: Content

        /// Puts the two together.
        public init(_ key: String, _ value: Content) {
            self.key = key
            self.value = value
        }
    }

    /// One line: `72 bpm, contact, rr 833 ms`. Text of a device is not escaped.
    public let text: String
    /// The tree.
    public let content: Content
    /// Octets behind the value that its format does not account for; they were ignored.
    public let surplus: [UInt8]

    /// Puts the three together.
    public init(text: String, content: Content, surplus: [UInt8] = []) {
        self.text = text
        self.content = content
        self.surplus = surplus
    }

    /// The line with what was ignored: `87 %, 1 octet more than expected`.
    public var fullText: String {
        guard !surplus.isEmpty else { return text }
        return "\(text), \(count: surplus.count, "octet") more than expected"
    }
}

extension DecodedValue.Content {
    /// A number.
    public static func number(_ value: some FixedWidthInteger) -> Self { .number(DecimalNumber(value)) }

    /// What stands under a key of an object; `nil` for other kinds and unknown keys.
    public subscript(key: String) -> DecodedValue.Content? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key == key }?.value
    }
}
