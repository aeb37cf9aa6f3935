// SPDX-License-Identifier: MIT

package import Bluetooth

/// A long-term key of a bond: the key that encrypts links to a device.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, Load Long Term Keys Command
package struct LongTermKey: Hashable, Sendable {
    /// The pairing that a key comes from. Unknown values are kept.
    package struct Kind: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Legacy pairing without protection against a man in the middle.
        package static let unauthenticatedLegacy = Self(rawValue: 0)
        /// Legacy pairing with protection against a man in the middle.
        package static let authenticatedLegacy = Self(rawValue: 1)
        /// Secure Connections without protection against a man in the middle.
        package static let unauthenticatedP256 = Self(rawValue: 2)
        /// Secure Connections with protection against a man in the middle.
        package static let authenticatedP256 = Self(rawValue: 3)
        /// Secure Connections with the published debug key, which protects nothing.
        package static let debugP256 = Self(rawValue: 4)

        /// Whether the key is protected against a man in the middle.
        package var isAuthenticated: Bool { self == .authenticatedLegacy || self == .authenticatedP256 }

        /// Whether the key comes from Secure Connections.
        package var isSecureConnections: Bool {
            self == .unauthenticatedP256 || self == .authenticatedP256 || self == .debugP256
        }

        /// `authenticated secure-connections`
        package var description: String {
            switch self {
            case .unauthenticatedLegacy: "unauthenticated legacy"
            case .authenticatedLegacy: "authenticated legacy"
            case .unauthenticatedP256: "unauthenticated secure-connections"
            case .authenticatedP256: "authenticated secure-connections"
            case .debugP256: "debug secure-connections"
            default: "type \(rawValue)"
            }
        }
    }

    /// The number of octets on the wire.
    static let length = 36

    /// The device: its identity address, if it is known.
    package var device: ManagementAddress
    /// The pairing that the key comes from.
    package var kind: Kind
    /// Whether the key is used while the adapter is the central. A key of Secure Connections is used in both roles.
    package var isCentral: Bool
    /// The length of the encryption key in octets: 7 to 16.
    package var encryptionSize: UInt8
    /// EDIV, by which legacy pairing identifies the key; 0 for Secure Connections.
    package var diversifier: UInt16
    /// Rand, by which legacy pairing identifies the key; 0 for Secure Connections.
    package var randomNumber: UInt64
    package var value: SecurityKey

    /// Creates a key.
    ///
    /// - Parameters:
    ///   - device: The device, by its identity address.
    ///   - kind: The pairing that the key comes from.
    ///   - isCentral: Whether the key is used while the adapter is the central.
    ///   - encryptionSize: The length of the encryption key in octets.
    ///   - diversifier: EDIV of legacy pairing.
    ///   - randomNumber: Rand of legacy pairing.
    package init(
        device: ManagementAddress,
        kind: Kind,
        isCentral: Bool,
        encryptionSize: UInt8 = 16,
        diversifier: UInt16 = 0,
        randomNumber: UInt64 = 0,
        value: SecurityKey
    ) {
        self.device = device
        self.kind = kind
        self.isCentral = isCentral
        self.encryptionSize = encryptionSize
        self.diversifier = diversifier
        self.randomNumber = randomNumber
        self.value = value
    }
}

extension LongTermKey: FieldCoded {
    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        device = try fields(\.device)
        kind = try fields(\.kind, "key type")
        isCentral = try fields(\.isCentral, "central")
        encryptionSize = try fields(\.encryptionSize, "encryption size")
        diversifier = try fields(\.diversifier, "encryption diversifier")
        randomNumber = try fields(\.randomNumber, "random number")
        value = try fields(\.value)
    }
}
