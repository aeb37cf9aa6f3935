// SPDX-License-Identifier: MIT

/// A long-term key of a bond: the key that encrypts links to a device.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, Load Long Term Keys Command
public struct LongTermKey: Hashable, Sendable {
    /// The pairing that a key comes from. Unknown values are kept.
    public struct Kind: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The octet on the wire.
        public let rawValue: UInt8

        /// Keeps any value, also an unknown one.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Legacy pairing without protection against a man in the middle.
        public static let unauthenticatedLegacy = Self(rawValue: 0)
        /// Legacy pairing with protection against a man in the middle.
        public static let authenticatedLegacy = Self(rawValue: 1)
        /// Secure Connections without protection against a man in the middle.
        public static let unauthenticatedP256 = Self(rawValue: 2)
        /// Secure Connections with protection against a man in the middle.
        public static let authenticatedP256 = Self(rawValue: 3)
        /// Secure Connections with the published debug key, which protects nothing.
        public static let debugP256 = Self(rawValue: 4)

        /// Whether the key is protected against a man in the middle.
        public var isAuthenticated: Bool { self == .authenticatedLegacy || self == .authenticatedP256 }

        /// Whether the key comes from Secure Connections.
        public var isSecureConnections: Bool {
            self == .unauthenticatedP256 || self == .authenticatedP256 || self == .debugP256
        }

        /// `authenticated secure-connections`
        public var description: String {
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
    public var device: ManagementAddress
    /// The pairing that the key comes from.
    public var kind: Kind
    /// Whether the key is used while the adapter is the central. A key of Secure Connections is used in both roles.
    public var isCentral: Bool
    /// The length of the encryption key in octets: 7 to 16.
    public var encryptionSize: UInt8
    /// EDIV, by which legacy pairing identifies the key; 0 for Secure Connections.
    public var diversifier: UInt16
    /// Rand, by which legacy pairing identifies the key; 0 for Secure Connections.
    public var randomNumber: UInt64
    /// The key.
    public var value: SecurityKey

    /// Creates a key.
    ///
    /// - Parameters:
    ///   - device: The device, by its identity address.
    ///   - kind: The pairing that the key comes from.
    ///   - isCentral: Whether the key is used while the adapter is the central.
    ///   - encryptionSize: The length of the encryption key in octets.
    ///   - diversifier: EDIV of legacy pairing.
    ///   - randomNumber: Rand of legacy pairing.
    ///   - value: The key.
    public init(
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

extension LongTermKey: WireDecodable, WireEncodable {
    public init(from reader: inout ByteReader) throws(DecodeError) {
        device = try ManagementAddress(from: &reader)
        kind = Kind(rawValue: try reader.uint8("key type"))
        isCentral = try reader.flag("central")
        encryptionSize = try reader.uint8("encryption size")
        diversifier = try reader.uint16("encryption diversifier")
        randomNumber = try reader.uint64("random number")
        value = try SecurityKey(from: &reader)
    }

    public func encode(into writer: inout ByteWriter) {
        writer.append(device)
        writer.uint8(kind.rawValue)
        writer.flag(isCentral)
        writer.uint8(encryptionSize)
        writer.uint16(diversifier)
        writer.uint64(randomNumber)
        writer.append(value)
    }
}
