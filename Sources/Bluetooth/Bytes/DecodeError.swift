// SPDX-License-Identifier: MIT

/// A decoding failure: the field at fault and the reason.
public struct DecodeError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The fault of a field.
    public enum Reason: Hashable, Sendable {
        /// The field needs more octets than are left.
        case truncated(needed: Int, available: Int)
        /// Octets are left over after the end of the packet.
        case trailing(count: Int)
        /// The field holds a value that the specification does not allow there.
        case invalid(value: UInt64)
        /// The field contradicts another one.
        case inconsistent(String)
    }

    /// The field's name in the specification, or the packet's for octets left over.
    public let field: String
    /// The fault.
    public let reason: Reason

    /// Creates an error about `field`.
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
