// SPDX-License-Identifier: MIT

/// The security of a link, as far as access to attributes depends on it.
///
/// Spec: Core 5.4, Vol 3, Part C, 10.2.1 and 10.3.1
public struct LinkSecurity: Hashable, Sendable {
    /// Whether the link is encrypted now.
    public var isEncrypted: Bool
    /// Whether the key was made with protection against a man in the middle. The key may be in use or kept from a
    /// pairing.
    public var isAuthenticated: Bool
    /// Whether the key in use comes from a pairing with Secure Connections.
    public var isSecureConnections: Bool
    /// Whether the user has authorised this client.
    public var isAuthorized: Bool
    /// The length of the encryption key in octets; 0 without encryption.
    public var keySize: UInt8
    /// Whether a key from an earlier pairing exists, so that encryption only has to be switched on.
    public var hasBond: Bool

    /// Creates a description; by default the link has no security.
    public init(
        isEncrypted: Bool = false,
        isAuthenticated: Bool = false,
        isSecureConnections: Bool = false,
        isAuthorized: Bool = false,
        keySize: UInt8 = 0,
        hasBond: Bool = false
    ) {
        self.isEncrypted = isEncrypted
        self.isAuthenticated = isAuthenticated
        self.isSecureConnections = isSecureConnections
        self.isAuthorized = isAuthorized
        self.keySize = keySize
        self.hasBond = hasBond
    }

    /// No encryption, no bond.
    public static let none = LinkSecurity()

    /// The highest level that the link has.
    ///
    /// Spec: Core 5.4, Vol 3, Part C, 10.2.1
    public var level: SecurityLevel {
        guard isEncrypted else { return .low }
        guard isAuthenticated else { return .medium }
        return isSecureConnections && keySize == 16 ? .fips : .high
    }
}

/// The security that a link needs for reading or writing an attribute.
///
/// Spec: Core 5.4, Vol 3, Part F, 3.2.5
public struct AccessRequirement: Hashable, Sendable {
    /// Whether the link must be encrypted.
    public var encryption: Bool
    /// Whether the key must be protected against a man in the middle; implies encryption.
    public var authentication: Bool
    /// Whether the user must have authorised the client.
    public var authorization: Bool
    /// The minimum length of the key in octets. More than 7, the length that every key has, implies encryption.
    public var minimumKeySize: UInt8

    /// Creates a requirement; by default nothing is required.
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

    /// No requirement.
    public static let open = AccessRequirement()

    /// The shortest possible key, in octets.
    ///
    /// Spec: Core 5.4, Vol 3, Part H, 2.3.4
    private static let shortestKey: UInt8 = 7

    /// Whether every link satisfies the requirement. Each part counts, even without the others.
    public var isOpen: Bool { !authorization && !needsEncryption }

    private var needsEncryption: Bool { encryption || authentication || minimumKeySize > Self.shortestKey }
    /// Encryption is required.
    public static let encrypted = AccessRequirement(encryption: true)
    /// Encryption with an authenticated key is required.
    public static let authenticated = AccessRequirement(encryption: true, authentication: true)
    /// The user's consent is required.
    public static let authorized = AccessRequirement(authorization: true)

    /// The error for a link without the required security; `nil` if access is granted.
    ///
    /// Authorisation is checked first, then authentication, encryption and the length of the key. A link without
    /// encryption gets "insufficient authentication" if no suitable key exists, and "insufficient encryption" if one
    /// does, because the client then only has to switch encryption on.
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

/// The conditions for reading and writing an attribute.
public struct AttributePermissions: Hashable, Sendable {
    /// The condition for reading; `nil` if the attribute cannot be read.
    public var read: AccessRequirement?
    /// The condition for writing; `nil` if the attribute cannot be written.
    public var write: AccessRequirement?

    /// Creates permissions; `nil` forbids the access.
    public init(read: AccessRequirement?, write: AccessRequirement?) {
        self.read = read
        self.write = write
    }

    /// Readable by every client, as all declarations are.
    public static let readOnly = AttributePermissions(read: .open, write: nil)
    /// Readable and writable by every client.
    public static let readWrite = AttributePermissions(read: .open, write: .open)
    /// Writable by every client, but not readable.
    public static let writeOnly = AttributePermissions(read: nil, write: .open)
    /// Neither readable nor writable: a value that is only notified.
    public static let none = AttributePermissions(read: nil, write: nil)

    /// The permissions that follow from the properties, open to every client. If a value can only be written with a
    /// signature, writing without one requires an encrypted link, which protects as well.
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

    /// The error for a link on reading; `nil` if access is granted.
    func readRefusal(of link: LinkSecurity) -> ATTErrorCode? {
        guard let read else { return .readNotPermitted }
        return read.refusal(of: link)
    }

    /// The error for a link on writing; `nil` if access is granted.
    func writeRefusal(of link: LinkSecurity) -> ATTErrorCode? {
        guard let write else { return .writeNotPermitted }
        return write.refusal(of: link)
    }
}
