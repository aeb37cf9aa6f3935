// SPDX-License-Identifier: MIT

/// The reason of a server's refusal. Unknown values are kept, so that an application's code is shown with its number.
///
/// Spec: Core 5.4, Vol 3, Part F, 3.4.1.1; the codes from 0xE0: Core Specification Supplement, Part B
public struct ATTErrorCode: RawRepresentable, Hashable, Sendable {
    /// The octet on the wire.
    public let rawValue: UInt8

    /// Keeps any value, also an unknown one.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Keeps any value, also an unknown one.
    public init(_ rawValue: UInt8) { self.rawValue = rawValue }

    /// 0x01: the server has no attribute with that handle.
    public static let invalidHandle = Self(0x01)
    /// 0x02: the attribute cannot be read.
    public static let readNotPermitted = Self(0x02)
    /// 0x03: the attribute cannot be written.
    public static let writeNotPermitted = Self(0x03)
    /// 0x04: the PDU was malformed.
    public static let invalidPDU = Self(0x04)
    /// 0x05: the attribute requires an authenticated link.
    public static let insufficientAuthentication = Self(0x05)
    /// 0x06: the server does not support the request.
    public static let requestNotSupported = Self(0x06)
    /// 0x07: the offset lies past the end of the value.
    public static let invalidOffset = Self(0x07)
    /// 0x08: the attribute requires authorization.
    public static let insufficientAuthorization = Self(0x08)
    /// 0x09: too many prepared writes are queued.
    public static let prepareQueueFull = Self(0x09)
    /// 0x0A: no attribute in the range matches.
    public static let attributeNotFound = Self(0x0A)
    /// 0x0B: the value cannot be read in parts.
    public static let attributeNotLong = Self(0x0B)
    /// 0x0C: the link's encryption key is too short.
    public static let encryptionKeySizeTooShort = Self(0x0C)
    /// 0x0D: the attribute cannot have a value of that length.
    public static let invalidAttributeValueLength = Self(0x0D)
    /// 0x0E: an error that no other code describes.
    public static let unlikelyError = Self(0x0E)
    /// 0x0F: the attribute requires an encrypted link.
    public static let insufficientEncryption = Self(0x0F)
    /// 0x10: the type does not group attributes.
    public static let unsupportedGroupType = Self(0x10)
    /// 0x11: the server lacks the resources to complete the request.
    public static let insufficientResources = Self(0x11)
    /// 0x12: the database has changed, and the client must discover it again.
    public static let databaseOutOfSync = Self(0x12)
    /// 0x13: the attribute does not accept that value.
    public static let valueNotAllowed = Self(0x13)
    /// 0xFC: the write failed for a reason other than permission.
    public static let writeRequestRejected = Self(0xFC)
    /// 0xFD: notifications or indications are not configured as the profile requires.
    public static let cccdImproperlyConfigured = Self(0xFD)
    /// 0xFE: a procedure of the profile is still running.
    public static let procedureAlreadyInProgress = Self(0xFE)
    /// 0xFF: the value is out of the profile's range.
    public static let outOfRange = Self(0xFF)

    /// Whether a higher layer defines the code: 0x80…0x9F.
    public var isApplicationError: Bool { (0x80...0x9F).contains(rawValue) }
}

extension ATTErrorCode: CustomStringConvertible {
    /// The specification's name in lower case: `insufficient authentication`; `unknown (0x14)` if it has none.
    public var description: String {
        name ?? (isApplicationError ? "application error" : "unknown (0x\(Hex.string(rawValue, minimumDigits: 2)))")
    }

    /// The specification's name in lower case; `nil` if it has none.
    public var name: String? {
        switch self {
        case .invalidHandle: "invalid handle"
        case .readNotPermitted: "read not permitted"
        case .writeNotPermitted: "write not permitted"
        case .invalidPDU: "invalid PDU"
        case .insufficientAuthentication: "insufficient authentication"
        case .requestNotSupported: "request not supported"
        case .invalidOffset: "invalid offset"
        case .insufficientAuthorization: "insufficient authorization"
        case .prepareQueueFull: "prepare queue full"
        case .attributeNotFound: "attribute not found"
        case .attributeNotLong: "attribute not long"
        case .encryptionKeySizeTooShort: "encryption key size too short"
        case .invalidAttributeValueLength: "invalid attribute value length"
        case .unlikelyError: "unlikely error"
        case .insufficientEncryption: "insufficient encryption"
        case .unsupportedGroupType: "unsupported group type"
        case .insufficientResources: "insufficient resources"
        case .databaseOutOfSync: "database out of sync"
        case .valueNotAllowed: "value not allowed"
        case .writeRequestRejected: "write request rejected"
        case .cccdImproperlyConfigured: "client characteristic configuration descriptor improperly configured"
        case .procedureAlreadyInProgress: "procedure already in progress"
        case .outOfRange: "out of range"
        default: nil
        }
    }
}
