// SPDX-License-Identifier: GPL-2.0-or-later

/// How far a link is secured: what a server needs to know of it to grant access.
///
/// Spec: Core 5.4, Vol 3, Part C, 10.2.1 and 10.3.1
public struct LinkSecurity: Hashable, Sendable {
    /// Whether the link is encrypted now.
    public var isEncrypted: Bool
    /// Whether the key, in use or kept from an earlier pairing, was made with protection against a man in the middle.
    public var isAuthenticated: Bool
    /// Whether the user has granted this client access to what needs authorisation.
    public var isAuthorized: Bool
    /// The length of the encryption key in octets; 0 without encryption.
    public var keySize: UInt8
    /// Whether a key from an earlier pairing exists, so that encryption only has to be switched on.
    public var hasBond: Bool

    /// Describes a link's security.
    public init(
        isEncrypted: Bool = false,
        isAuthenticated: Bool = false,
        isAuthorized: Bool = false,
        keySize: UInt8 = 0,
        hasBond: Bool = false
    ) {
        self.isEncrypted = isEncrypted
        self.isAuthenticated = isAuthenticated
        self.isAuthorized = isAuthorized
        self.keySize = keySize
        self.hasBond = hasBond
    }

    /// No encryption, no bond.
    public static let none = LinkSecurity()
}

/// What a link must have before it may read or write an attribute.
///
/// Spec: Core 5.4, Vol 3, Part F, 3.2.5
public struct AccessRequirement: Hashable, Sendable {
    /// Whether the link must be encrypted.
    public var encryption: Bool
    /// Whether the key must be protected against a man in the middle; implies encryption.
    public var authentication: Bool
    /// Whether the user must have granted access.
    public var authorization: Bool
    /// How many octets the key must have at least; more than the 7 that every key has imply encryption.
    public var minimumKeySize: UInt8

    /// Describes what is required.
    public init(
        encryption: Bool = false,
        authentication: Bool = false,
        authorization: Bool = false,
        minimumKeySize: UInt8 = 7
    ) {
        self.encryption = encryption
        self.authentication = authentication
        self.authorization = authorization
        self.minimumKeySize = minimumKeySize
    }

    /// Nothing is required.
    public static let open = AccessRequirement()

    /// The shortest key that there is.
    ///
    /// Spec: Core 5.4, Vol 3, Part H, 2.3.4
    private static let shortestKey: UInt8 = 7

    /// Whether every link has what is required. Each requirement counts by itself, also where it is the only one.
    public var isOpen: Bool { !authorization && !needsEncryption }

    private var needsEncryption: Bool { encryption || authentication || minimumKeySize > Self.shortestKey }
    /// Encryption is required.
    public static let encrypted = AccessRequirement(encryption: true)
    /// Encryption with an authenticated key is required.
    public static let authenticated = AccessRequirement(encryption: true, authentication: true)
    /// The user's consent is required.
    public static let authorized = AccessRequirement(authorization: true)

    /// The error that a link without the required security gets; `nil` where access is granted.
    ///
    /// Authorisation first, then authentication, encryption and the length of its key. A link without encryption is told to
    /// authenticate where no key exists that would do, and to encrypt where one does.
    ///
    /// Spec: Core 5.4, Vol 3, Part F, 3.4.4.3; Vol 3, Part C, 10.3.1.1
    public func refusal(of link: LinkSecurity) -> ATTErrorCode? {
        if authorization, !link.isAuthorized { return .insufficientAuthorization }
        guard needsEncryption else { return nil }
        guard link.isEncrypted || link.hasBond else { return .insufficientAuthentication }
        if authentication, !link.isAuthenticated { return .insufficientAuthentication }
        guard link.isEncrypted else { return .insufficientEncryption }
        if link.keySize < max(minimumKeySize, Self.shortestKey) { return .encryptionKeySizeTooShort }
        return nil
    }
}

/// Who may read and write an attribute.
public struct AttributePermissions: Hashable, Sendable {
    /// What reading requires; `nil` where the attribute cannot be read.
    public var read: AccessRequirement?
    /// What writing requires; `nil` where the attribute cannot be written.
    public var write: AccessRequirement?

    /// Puts the two together.
    public init(read: AccessRequirement?, write: AccessRequirement?) {
        self.read = read
        self.write = write
    }

    /// Readable by everyone, as all declarations are.
    public static let readOnly = AttributePermissions(read: .open, write: nil)
    /// Readable and writable by everyone.
    public static let readWrite = AttributePermissions(read: .open, write: .open)
    /// Writable by everyone, but not readable.
    public static let writeOnly = AttributePermissions(read: nil, write: .open)
    /// Neither: a value that is only notified.
    public static let none = AttributePermissions(read: nil, write: nil)

    /// What the properties of a characteristic ask for, open to everyone. Where a value can be written with a signature only,
    /// a write without one needs an encrypted link, which is as good.
    ///
    /// Spec: Core 5.4, Vol 3, Part C, 10.2.3
    public init(for properties: CharacteristicProperties) {
        var write: AccessRequirement?
        if !properties.isDisjoint(with: [.write, .writeWithoutResponse]) {
            write = .open
        } else if properties.contains(.authenticatedSignedWrites) {
            write = .encrypted
        }
        self.init(read: properties.contains(.read) ? .open : nil, write: write)
    }

    /// The error that a link gets on reading; `nil` where it may.
    func readRefusal(of link: LinkSecurity) -> ATTErrorCode? {
        guard let read else { return .readNotPermitted }
        return read.refusal(of: link)
    }

    /// The error that a link gets on writing; `nil` where it may.
    func writeRefusal(of link: LinkSecurity) -> ATTErrorCode? {
        guard let write else { return .writeNotPermitted }
        return write.refusal(of: link)
    }
}
