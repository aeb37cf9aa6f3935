// SPDX-License-Identifier: MIT

/// The keys with which devices encrypt their advertisements, by the addresses of the devices.
///
/// No text or dump of it contains a key.
public struct AdvertisingKeys: Hashable, Sendable {
    /// The keys of one device.
    public struct Device: Hashable, Sendable {
        /// The key of BTHome (bind key), of MiBeacon (bind key), or of Victron (advertisement key).
        public var key: SecurityKey?
        /// The key material of Encrypted Advertising Data.
        public var material: EncryptedDataKeyMaterial?

        /// Creates the keys of a device.
        public init(key: SecurityKey? = nil, material: EncryptedDataKeyMaterial? = nil) {
            self.key = key
            self.material = material
        }
    }

    private let devices: [BluetoothAddress: Device]

    /// Creates a collection; by default without keys.
    public init(_ devices: [BluetoothAddress: Device] = [:]) { self.devices = devices }

    /// Whether there are no keys.
    public var isEmpty: Bool { devices.isEmpty }

    /// The keys of a device; `nil` if there are none.
    public subscript(address: BluetoothAddress) -> Device? { devices[address] }
}

/// The session key and the initialization vector of Encrypted Advertising Data.
///
/// Spec: Core 5.4, Vol 3, Part C, 12.6; Core Specification Supplement 11, Part A, 1.23
public struct EncryptedDataKeyMaterial: Hashable, Sendable {
    /// The session key.
    public let sessionKey: SecurityKey
    /// The initialization vector, 64 bits, the most significant octet first.
    let vector: [UInt8]

    /// Creates key material; `nil` unless the vector has eight octets.
    ///
    /// - Parameters:
    ///   - sessionKey: The session key.
    ///   - vector: The initialization vector, in the order of the Encrypted Data Key Material characteristic.
    public init?(sessionKey: SecurityKey, vector: [UInt8]) {
        guard vector.count == 8 else { return nil }
        self.sessionKey = sessionKey
        self.vector = vector
    }
}

extension EncryptedDataKeyMaterial: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// `(hidden)`
    public var description: String { "(hidden)" }

    /// `(hidden)`
    public var debugDescription: String { description }

    /// No parts.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
