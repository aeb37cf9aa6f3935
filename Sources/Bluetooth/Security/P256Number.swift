// SPDX-License-Identifier: MIT

/// A number of 256 bits in a pairing with Secure Connections: the X coordinate of a public key, or the key that both
/// devices compute from their keys (DHKey). Its description hides it, because the latter is a secret.
///
/// Spec: Core 5.4, Vol 3, Part H, 2.2.6 to 2.2.9
public struct P256Number: Hashable, Sendable {
    /// The octets, most significant first.
    public let octets: [UInt8]

    /// Creates a number from its octets, most significant first; `nil` unless there are 32.
    public init?(octets: [UInt8]) {
        guard octets.count == 32 else { return nil }
        self.octets = octets
    }
}

extension P256Number: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// `(hidden)`
    public var description: String { "(hidden)" }

    /// `(hidden)`
    public var debugDescription: String { description }

    /// No parts.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
