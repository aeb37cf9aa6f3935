// SPDX-License-Identifier: MIT

package import Bluetooth

/// The key of a bond that signs writes.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, New Signature Resolving Key Event
package struct SignatureResolvingKey: Hashable, Sendable {
    /// The signer and the protection of a key. Unknown values are kept.
    package struct Kind: RawRepresentable, Hashable, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The adapter signs; no protection against a man in the middle.
        package static let unauthenticatedLocal = Self(rawValue: 0)
        /// The device signs; no protection against a man in the middle.
        package static let unauthenticatedRemote = Self(rawValue: 1)
        /// The adapter signs; protected against a man in the middle.
        package static let authenticatedLocal = Self(rawValue: 2)
        /// The device signs; protected against a man in the middle.
        package static let authenticatedRemote = Self(rawValue: 3)

        /// Whether the adapter signs with the key.
        package var isLocal: Bool { self == .unauthenticatedLocal || self == .authenticatedLocal }

        /// Whether the key is protected against a man in the middle.
        package var isAuthenticated: Bool { self == .authenticatedLocal || self == .authenticatedRemote }
    }

    /// The device: its identity address, if it is known.
    package var device: ManagementAddress
    /// The signer and the protection.
    package var kind: Kind
    package var value: SecurityKey

    package init(device: ManagementAddress, kind: Kind, value: SecurityKey) {
        self.device = device
        self.kind = kind
        self.value = value
    }
}

extension SignatureResolvingKey: FieldCoded {
    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        device = try fields(\.device)
        kind = try fields(\.kind, "key type")
        value = try fields(\.value)
    }
}
