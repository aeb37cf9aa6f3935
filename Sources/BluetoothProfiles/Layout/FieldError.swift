// SPDX-License-Identifier: MIT

import Bluetooth

/// The reason why the content of a field cannot be encoded: its place, the content, and the allowed values.
public struct FieldError: Error, Hashable, Sendable {
    /// One step from a value to its parts.
    public enum Step: Hashable, Sendable {
        /// The member of an object with that key.
        case member(String)
        /// The element of an array at that index.
        case element(Int)
    }

    /// The fault of a field.
    public enum Reason: Hashable, Sendable {
        /// The field is required. The allowed contents are described as in `notAllowed`.
        case missing(allowed: String?)
        /// No field has this key. Near ones first, or all if none is near.
        case unknown(near: [String], all: [String])
        /// The number is out of range.
        case outOfRange(lowest: String, highest: String)
        /// The field does not accept the content; it accepts: `a number`, `one of …`.
        case notAllowed(String)
        /// The field and another one exclude each other.
        case conflict(with: String)
        /// The content needs more octets than the field has.
        case tooLong(octets: Int)
    }

    /// The way from the whole value to the field; empty for the value itself.
    public let path: [Step]
    /// The offending content as text; `nil` if there is none.
    public let value: String?
    /// The fault.
    public let reason: Reason

    /// Creates an error.
    public init(_ path: [Step], _ value: String?, _ reason: Reason) {
        self.path = path
        self.value = value
        self.reason = reason
    }

    /// The path as text: `records[0].glucose_mg_per_dl`; empty for the whole value.
    public var pathText: String {
        var text = ""
        for step in path {
            switch step {
            case .member(let key): text += text.isEmpty ? key : ".\(key)"
            case .element(let index): text += "[\(index)]"
            }
        }
        return text
    }

    /// The fault without the path, to follow a colon: `70000 is not between 0 and 65535`, `missing; it takes a number`.
    public var message: String {
        let value = value ?? "nothing"
        switch reason {
        case .missing(let allowed):
            return "missing" + (allowed.map { "; it takes \($0)" } ?? "")
        case .unknown(let near, let all):
            if !near.isEmpty { return "not a member; did you mean \(near.joined(separator: " or "))?" }
            return all.isEmpty ? "not a member" : "not a member; there is \(all.joined(separator: ", "))"
        case .outOfRange(let lowest, let highest):
            return "\(value) is not between \(lowest) and \(highest)"
        case .notAllowed(let allowed):
            return "\(value) is not \(allowed)"
        case .conflict(let other):
            return "not possible together with \(other)"
        case .tooLong(let octets):
            return "\(value) does not fit \(count: octets, "octet")"
        }
    }
}

extension FieldError: CustomStringConvertible {
    /// `heart_rate_bpm: 70000 is not between 0 and 65535`, `heart_rate_bpm is missing; it takes a number`
    public var description: String {
        if path.isEmpty { return message }
        switch reason {
        // These are about the field, and the others about its content.
        case .missing, .unknown, .conflict: return "\(pathText) is \(message)"
        case .outOfRange, .notAllowed, .tooLong: return "\(pathText): \(message)"
        }
    }
}

extension DecodedValue.Content {
    /// The content in a message: `70000`, `'purple'`, `[1, 2]`.
    var quoted: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .number(let value): value.description
        case .string(let value): "'\(value)'"
        case .array(let elements): "[" + elements.map(\.quoted).joined(separator: ", ") + "]"
        case .object(let members): "{" + members.map { "\($0.key): \($0.value.quoted)" }.joined(separator: ", ") + "}"
        }
    }
}

extension [String] {
    /// The strings most like another one, at most three: `did you mean`.
    func near(_ wanted: String) -> [String] {
        let letters = Array<UInt8>(wanted.utf8)
        guard (2...64).contains(letters.count) else { return [] }
        let scored = compactMap { name in EditDistance.score(letters, Array<UInt8>(name.utf8)).map { ($0, name) } }
        return scored.sorted { $0 < $1 }.prefix(3).map(\.1)
    }
}
