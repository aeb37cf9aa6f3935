// SPDX-License-Identifier: MIT

/// The answer of a device to the request for a credit-based channel. Unknown values are kept.
///
/// Spec: Core 5.4, Vol 3, Part A, 4.23
public struct LECreditBasedConnectionResult: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The number on the wire.
    public let rawValue: UInt16

    /// Keeps any value, also an unknown one.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Keeps any value, also an unknown one.
    public init(_ rawValue: UInt16) { self.rawValue = rawValue }

    /// 0x0000: the channel is open.
    public static let successful = Self(0x0000)
    /// 0x0002: the device has no service with that SPSM.
    public static let spsmNotSupported = Self(0x0002)
    /// 0x0004: the device has no resources for another channel.
    public static let noResources = Self(0x0004)
    /// 0x0005: the link must be authenticated.
    public static let insufficientAuthentication = Self(0x0005)
    /// 0x0006: the user must authorize the client.
    public static let insufficientAuthorization = Self(0x0006)
    /// 0x0007: the encryption key is too short.
    public static let encryptionKeySizeTooShort = Self(0x0007)
    /// 0x0008: the link must be encrypted.
    public static let insufficientEncryption = Self(0x0008)
    /// 0x0009: the number of the channel lies outside the range for such channels.
    public static let invalidSourceCID = Self(0x0009)
    /// 0x000A: the number of the channel is in use.
    public static let sourceCIDAlreadyAllocated = Self(0x000A)
    /// 0x000B: the sizes are not acceptable.
    public static let unacceptableParameters = Self(0x000B)

    private static let names: [Self: String] = [
        .successful: "successful", .spsmNotSupported: "SPSM not supported",
        .noResources: "no resources available", .insufficientAuthentication: "insufficient authentication",
        .insufficientAuthorization: "insufficient authorization",
        .encryptionKeySizeTooShort: "encryption key size too short",
        .insufficientEncryption: "insufficient encryption", .invalidSourceCID: "invalid source CID",
        .sourceCIDAlreadyAllocated: "source CID already allocated",
        .unacceptableParameters: "unacceptable parameters",
    ]

    /// The name in the specification: `no resources available`; `nil` if the value is unknown.
    public var name: String? { Self.names[self] }

    /// Whether the device may answer otherwise on a link with more security.
    public var asksForSecurity: Bool {
        // Authorization is not among them: a user of the device gives it, whatever the security of the link.
        self == .insufficientAuthentication || self == .insufficientEncryption || self == .encryptionKeySizeTooShort
    }

    /// `0x0004 no resources available`
    public var description: String {
        let number = "0x" + Hex.string(rawValue, minimumDigits: 4)
        return name.map { "\(number) \($0)" } ?? number
    }
}
