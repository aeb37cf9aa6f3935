// SPDX-License-Identifier: GPL-2.0-or-later

/// Why bytes are not what they should be: the field, and what is wrong with it.
public struct DecodeError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong with the field.
    public enum Reason: Hashable, Sendable {
        /// The field needs more octets than are left.
        case truncated(needed: Int, available: Int)
        /// Octets are left over where the packet should have ended.
        case trailing(count: Int)
        /// The field holds a value that the specification does not allow here.
        case invalid(value: UInt64)
        /// The field contradicts another one.
        case inconsistent(String)
    }

    /// The name of the field, in the specification's words.
    public let field: String
    /// What is wrong with it.
    public let reason: Reason

    /// Makes an error about `field`.
    public init(_ field: String, _ reason: Reason) {
        self.field = field
        self.reason = reason
    }

    public var description: String {
        switch reason {
        case .truncated(let needed, let available):
            "\(field): needs \(count: needed, "octet"), \(available) left"
        case .trailing(let count):
            "\(field): \(count: count, "octet") left over"
        case .invalid(let value):
            "\(field): invalid value 0x\(Hex.string(value, minimumDigits: 2))"
        case .inconsistent(let why):
            "\(field): \(why)"
        }
    }
}
