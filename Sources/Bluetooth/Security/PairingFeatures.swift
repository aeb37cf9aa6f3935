// SPDX-License-Identifier: MIT

/// The demands of a device on a pairing. Unknown bits are kept.
///
/// Spec: Core 5.4, Vol 3, Part H, 3.5.1 (AuthReq)
public struct AuthenticationRequirements: OptionSet, Hashable, Sendable {
    /// The octet on the wire.
    public let rawValue: UInt8

    /// Keeps all bits, also unknown ones.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The keys are to be kept. The field has two bits; the upper one is reserved.
    public static let bonding = Self(rawValue: 0x01)
    /// The keys must be protected against a man in the middle.
    public static let manInTheMiddleProtection = Self(rawValue: 0x04)
    /// The device supports Secure Connections.
    public static let secureConnections = Self(rawValue: 0x08)
    /// The device sends keypress notifications.
    public static let keypress = Self(rawValue: 0x10)
    /// The device supports the link key conversion function h7.
    public static let conversionFunction = Self(rawValue: 0x20)
}

/// The kinds of keys that a device sends after a pairing. Unknown bits are kept.
///
/// Spec: Core 5.4, Vol 3, Part H, 3.6.1
public struct KeyDistribution: OptionSet, Hashable, Sendable {
    /// The octet on the wire.
    public let rawValue: UInt8

    /// Keeps all bits, also unknown ones.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The long-term key of legacy pairing.
    public static let encryption = Self(rawValue: 0x01)
    /// The identity resolving key and the identity address.
    public static let identity = Self(rawValue: 0x02)
    /// The signature resolving key.
    public static let signature = Self(rawValue: 0x04)
    /// The link key of Basic Rate is derived from the long-term key.
    public static let link = Self(rawValue: 0x08)
}

/// The parameters of a Pairing Request or a Pairing Response.
///
/// Spec: Core 5.4, Vol 3, Part H, 3.5.1 and 3.5.2
public struct PairingFeatures: Hashable, Sendable {
    /// The input and output of the device.
    public var ioCapability: IOCapability
    /// Whether the device has data of the other one that came another way than by this link.
    public var hasOutOfBandData: Bool
    /// The demands on the pairing.
    public var requirements: AuthenticationRequirements
    /// The longest encryption key that the device supports, in octets: 7 to 16.
    public var maximumKeySize: UInt8
    /// The keys that the initiator will send.
    public var initiatorKeys: KeyDistribution
    /// The keys that the responder will send.
    public var responderKeys: KeyDistribution

    /// Creates the parameters.
    ///
    /// - Parameters:
    ///   - ioCapability: The input and output of the device.
    ///   - hasOutOfBandData: Whether the device has out-of-band data of the other one.
    ///   - requirements: The demands on the pairing.
    ///   - maximumKeySize: The longest encryption key that the device supports, in octets.
    ///   - initiatorKeys: The keys that the initiator will send.
    ///   - responderKeys: The keys that the responder will send.
    public init(
        ioCapability: IOCapability,
        hasOutOfBandData: Bool = false,
        requirements: AuthenticationRequirements,
        maximumKeySize: UInt8 = 16,
        initiatorKeys: KeyDistribution = [],
        responderKeys: KeyDistribution = []
    ) {
        self.ioCapability = ioCapability
        self.hasOutOfBandData = hasOutOfBandData
        self.requirements = requirements
        self.maximumKeySize = maximumKeySize
        self.initiatorKeys = initiatorKeys
        self.responderKeys = responderKeys
    }
}

extension PairingFeatures: WireDecodable, WireEncodable {
    public init(from reader: inout ByteReader) throws(DecodeError) {
        let capability = try reader.uint8("IO capability")
        guard let known = IOCapability(rawValue: capability) else {
            throw DecodeError("IO capability", .invalid(value: UInt64(capability)))
        }
        ioCapability = known
        let flag = try reader.uint8("OOB data flag")
        guard flag <= 1 else { throw DecodeError("OOB data flag", .invalid(value: UInt64(flag))) }
        hasOutOfBandData = flag == 1
        requirements = AuthenticationRequirements(rawValue: try reader.uint8("authentication requirements"))
        maximumKeySize = try reader.uint8("maximum encryption key size")
        guard (7...16).contains(maximumKeySize) else {
            throw DecodeError("maximum encryption key size", .invalid(value: UInt64(maximumKeySize)))
        }
        initiatorKeys = KeyDistribution(rawValue: try reader.uint8("initiator key distribution"))
        responderKeys = KeyDistribution(rawValue: try reader.uint8("responder key distribution"))
    }

    public func encode(into writer: inout ByteWriter) {
        writer.uint8(ioCapability.rawValue)
        writer.uint8(hasOutOfBandData ? 1 : 0)
        writer.uint8(requirements.rawValue)
        writer.uint8(maximumKeySize)
        writer.uint8(initiatorKeys.rawValue)
        writer.uint8(responderKeys.rawValue)
    }
}
