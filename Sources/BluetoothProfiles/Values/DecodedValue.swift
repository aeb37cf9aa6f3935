// SPDX-License-Identifier: MIT

import Bluetooth

/// A decoded value in two forms: a line for people, and a tree for programs.
public struct DecodedValue: Hashable, Sendable {
    /// The tree of a decoded value. Keys are in snake case and end with the unit: `heart_rate_bpm`.
    public typealias Content = JSONValue

    /// One member of an object.
    public typealias Member = JSONValue.Member

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
