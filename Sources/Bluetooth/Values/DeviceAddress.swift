// SPDX-License-Identifier: MIT

/// The type of a device address as HCI reports carry it. Unknown values are kept.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7.65.13 (Address_Type)
public struct AddressType: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The octet on the wire.
    public let rawValue: UInt8

    /// Keeps any value, also an unknown one.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A public device address.
    public static let `public` = Self(rawValue: 0x00)
    /// A random device address: static or private.
    public static let random = Self(rawValue: 0x01)
    /// A public identity address, resolved by the controller from a private one.
    public static let publicIdentity = Self(rawValue: 0x02)
    /// A random static identity address, resolved by the controller from a private one.
    public static let randomIdentity = Self(rawValue: 0x03)
    /// No address: anonymous advertising.
    public static let anonymous = Self(rawValue: 0xFF)

    public var description: String {
        switch self {
        case .public: "public"
        case .random: "random"
        case .publicIdentity: "public-identity"
        case .randomIdentity: "random-identity"
        case .anonymous: "anonymous"
        default: "unknown (0x\(Hex.string(rawValue, minimumDigits: 2)))"
        }
    }

    /// Parses the `description` of a known type; `nil` for any other text.
    public init?(name: some StringProtocol) {
        let known: [Self] = [.public, .random, .publicIdentity, .randomIdentity, .anonymous]
        guard let match = known.first(where: { $0.description == name }) else { return nil }
        self = match
    }

    /// The type for a connection to such an address: public or random. The controller needs the type of the address on
    /// the air.
    public var connectionType: AddressType {
        // The types of identities differ from the plain ones only in bit 1.
        rawValue & 0x01 == 0 ? .public : .random
    }
}

/// The kind of address: its type, and for random addresses the two most significant bits.
///
/// Spec: Core 5.4, Vol 6, Part B, 1.3.2
public enum AddressKind: String, Hashable, Sendable {
    /// Assigned by the IEEE.
    case `public`
    /// Random, unchanged until the device restarts.
    case randomStatic = "random-static"
    /// Random, changing, and resolvable with the device's identity resolving key.
    case resolvable
    /// Random, changing, and not resolvable.
    case nonResolvable = "non-resolvable"
    /// No address.
    case anonymous
    /// The two bits are 0b10, or the type is unknown.
    case reserved
}

/// A device's address with its type. Both together identify a device on the air.
public struct DeviceAddress: Hashable, Sendable, CustomStringConvertible {
    /// The 48 bits.
    public let address: BluetoothAddress
    /// The address type, as the HCI report gives it.
    public let type: AddressType

    /// Creates an address of that type.
    public init(_ address: BluetoothAddress, _ type: AddressType) {
        self.address = address
        self.type = type
    }

    /// The kind of address.
    public var kind: AddressKind {
        switch type {
        case .public, .publicIdentity: return .public
        case .anonymous: return .anonymous
        case .random, .randomIdentity: break
        default: return .reserved
        }
        // The two most significant bits of a random address are its kind. Spec: Core 5.4, Vol 6, Part B, 1.3.2
        switch address.rawValue >> 46 {
        case 0b11: return .randomStatic
        case 0b01: return .resolvable
        case 0b00: return .nonResolvable
        default: return .reserved
        }
    }

    /// `F0:F1:F2:F3:F4:F5 (random)`
    public var description: String { "\(address) (\(type))" }
}
