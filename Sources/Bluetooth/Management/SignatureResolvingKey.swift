// SPDX-License-Identifier: MIT

/// The key of a bond that signs writes.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, New Signature Resolving Key Event
public struct SignatureResolvingKey: Hashable, Sendable {
    /// The signer and the protection of a key. Unknown values are kept.
    public struct Kind: RawRepresentable, Hashable, Sendable {
        /// The octet on the wire.
        public let rawValue: UInt8

        /// Keeps any value, also an unknown one.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The adapter signs; no protection against a man in the middle.
        public static let unauthenticatedLocal = Self(rawValue: 0)
        /// The device signs; no protection against a man in the middle.
        public static let unauthenticatedRemote = Self(rawValue: 1)
        /// The adapter signs; protected against a man in the middle.
        public static let authenticatedLocal = Self(rawValue: 2)
        /// The device signs; protected against a man in the middle.
        public static let authenticatedRemote = Self(rawValue: 3)

        /// Whether the adapter signs with the key.
        public var isLocal: Bool { self == .unauthenticatedLocal || self == .authenticatedLocal }

        /// Whether the key is protected against a man in the middle.
        public var isAuthenticated: Bool { self == .authenticatedLocal || self == .authenticatedRemote }
    }

    /// The device: its identity address, if it is known.
    public var device: ManagementAddress
    /// The signer and the protection.
    public var kind: Kind
    /// The key.
    public var value: SecurityKey

    /// Creates a key.
    public init(device: ManagementAddress, kind: Kind, value: SecurityKey) {
        self.device = device
        self.kind = kind
        self.value = value
    }
}

extension SignatureResolvingKey: WireDecodable, WireEncodable {
    public init(from reader: inout ByteReader) throws(DecodeError) {
        device = try ManagementAddress(from: &reader)
        kind = Kind(rawValue: try reader.uint8("key type"))
        value = try SecurityKey(from: &reader)
    }

    public func encode(into writer: inout ByteWriter) {
        writer.append(device)
        writer.uint8(kind.rawValue)
        writer.append(value)
    }
}
