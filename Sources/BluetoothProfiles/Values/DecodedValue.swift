// SPDX-License-Identifier: MIT

import Bluetooth

/// A decoded value in two forms: a line for people, and a tree for programs.
public struct DecodedValue: Hashable, Sendable {
    /// A tree of JSON's kinds of values.
    public indirect enum Content: Hashable, Sendable {
        /// Absent or unknown.
        case null
        /// True or false.
        case bool(Bool)
        /// A number; its description is a JSON number.
        case number(DecimalNumber)
        /// Text from the device, unescaped.
        case string(String)
        /// Several values of the same kind.
        case array([Content])
        /// Members in the order of the specification. Keys are in snake case and end with the unit: `heart_rate_bpm`.
        case object([Member])
    }

    /// One member of an object.
    public struct Member: Hashable, Sendable {
        /// The key: `heart_rate_bpm`.
        public let key: String
        /// The member's value.
        public let value: Content

        /// Creates a member.
        public init(_ key: String, _ value: Content) {
            self.key = key
            self.value = value
        }
    }

    /// One line: `72 bpm, contact, rr 833 ms`. Must be escaped before a terminal sees it, because it may contain text
    /// of the device.
    public let text: String
    /// The tree.
    public let content: Content
    /// The octets after those that the format covers. They were ignored.
    public let surplus: [UInt8]
    /// The fault of the octets: the reason why the decoding ended early, or else the first number that is not allowed,
    /// or else octets that the format does not cover; `nil` if there is none.
    public let fault: DecodingFault?

    /// Creates a decoded value.
    public init(text: String, content: Content, surplus: [UInt8] = [], fault: DecodingFault? = nil) {
        self.text = text
        self.content = content
        self.surplus = surplus
        self.fault = fault ?? (surplus.isEmpty ? nil : DecodingFault("", .surplus))
    }

    /// The value with the octets that its format does not cover.
    func with(surplus: [UInt8]) -> DecodedValue {
        DecodedValue(text: text, content: content, surplus: surplus, fault: fault)
    }

    /// The line, with the number of ignored octets or the reason why the decoding ended:
    /// `87 %, 1 octet more than expected`, `72 bpm, cut off at rr intervals (needs 2 octets, 1 is left)`.
    public var fullText: String {
        if let fault, fault.isEnd { return text.isEmpty ? fault.description : "\(text), \(fault)" }
        guard !surplus.isEmpty else { return text }
        return "\(text), \(surplusText)"
    }

    var surplusText: String { "\(count: surplus.count, "octet") more than expected" }
}

extension DecodedValue.Content {
    /// A number.
    public static func number(_ value: some FixedWidthInteger) -> Self { .number(DecimalNumber(value)) }

    /// The member of an object with that key; `nil` for other kinds and for unknown keys.
    public subscript(key: String) -> DecodedValue.Content? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key == key }?.value
    }
}
