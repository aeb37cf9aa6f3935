// SPDX-License-Identifier: MIT

/// Reports a new long-term key: a pairing has made it.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, New Long Term Key Event
public struct NewLongTermKeyEvent: ManagementEventParameters {
    public static let code: UInt16 = 0x000A
    public static let name = "New Long Term Key"

    /// Whether the key is to be kept: both devices bond, and the device has distributed its identity.
    public var isToBeStored: Bool
    /// The key.
    public var key: LongTermKey

    /// Creates the event.
    public init(isToBeStored: Bool, _ key: LongTermKey) {
        self.isToBeStored = isToBeStored
        self.key = key
    }

    public init(from reader: inout ByteReader) throws(DecodeError) {
        isToBeStored = try reader.flag("store hint")
        key = try LongTermKey(from: &reader)
    }

    public func encode(into writer: inout ByteWriter) {
        writer.flag(isToBeStored)
        writer.append(key)
    }

    /// The device and the kind of key. A trace does not show the key.
    public var details: String { "\(key.device), \(key.kind), \(count: Int(key.encryptionSize), "octet")" }
}

/// Reports a new identity resolving key, which a device has distributed with its identity address.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, New Identity Resolving Key Event
public struct NewIdentityResolvingKeyEvent: ManagementEventParameters {
    public static let code: UInt16 = 0x0018
    public static let name = "New Identity Resolving Key"

    /// Whether the key is to be kept.
    public var isToBeStored: Bool
    /// The private address by which the device was known before; all zeros if it had none.
    public var privateAddress: BluetoothAddress
    /// The identity address and the key.
    public var key: IdentityResolvingKey

    /// Creates the event.
    public init(isToBeStored: Bool, privateAddress: BluetoothAddress, _ key: IdentityResolvingKey) {
        self.isToBeStored = isToBeStored
        self.privateAddress = privateAddress
        self.key = key
    }

    public init(from reader: inout ByteReader) throws(DecodeError) {
        isToBeStored = try reader.flag("store hint")
        privateAddress = BluetoothAddress(rawValue: try reader.uint48("random address"))
        key = try IdentityResolvingKey(from: &reader)
    }

    public func encode(into writer: inout ByteWriter) {
        writer.flag(isToBeStored)
        writer.append(privateAddress)
        writer.append(key)
    }

    /// The two addresses. A trace does not show the key.
    public var details: String { "\(privateAddress) is \(key.device)" }
}

/// Reports a new signature resolving key.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, New Signature Resolving Key Event
public struct NewSignatureResolvingKeyEvent: ManagementEventParameters {
    public static let code: UInt16 = 0x0019
    public static let name = "New Signature Resolving Key"

    /// Whether the key is to be kept.
    public var isToBeStored: Bool
    /// The key.
    public var key: SignatureResolvingKey

    /// Creates the event.
    public init(isToBeStored: Bool, _ key: SignatureResolvingKey) {
        self.isToBeStored = isToBeStored
        self.key = key
    }

    public init(from reader: inout ByteReader) throws(DecodeError) {
        isToBeStored = try reader.flag("store hint")
        key = try SignatureResolvingKey(from: &reader)
    }

    public func encode(into writer: inout ByteWriter) {
        writer.flag(isToBeStored)
        writer.append(key)
    }

    /// The device and the signer. A trace does not show the key.
    public var details: String { "\(key.device), \(key.kind.isLocal ? "local" : "remote")" }
}
