// SPDX-License-Identifier: MIT

package import Bluetooth

/// Reports a new long-term key: a pairing has made it.
package struct NewLongTermKeyEvent: ManagementEventParameters, FieldCoded {
    package static let form = ManagementForm(0x000A, "New Long Term Key")

    /// Whether the key is to be kept: both devices bond, and the device has distributed its identity.
    package var isToBeStored: Bool
    package var key: LongTermKey

    package init(isToBeStored: Bool, _ key: LongTermKey) {
        self.isToBeStored = isToBeStored
        self.key = key
    }

    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        isToBeStored = try fields(\.isToBeStored, "store hint")
        key = try fields(\.key)
    }

    /// The device and the kind of key. A trace does not show the key.
    package var details: String { "\(key.device), \(key.kind), \(count: Int(key.encryptionSize), "octet")" }
}

/// Reports a new identity resolving key, which a device has distributed with its identity address.
package struct NewIdentityResolvingKeyEvent: ManagementEventParameters, FieldCoded {
    package static let form = ManagementForm(0x0018, "New Identity Resolving Key")

    package var isToBeStored: Bool
    /// The private address by which the device was known before; all zeros if it had none.
    package var privateAddress: BluetoothAddress
    package var key: IdentityResolvingKey

    package init(isToBeStored: Bool, privateAddress: BluetoothAddress, _ key: IdentityResolvingKey) {
        self.isToBeStored = isToBeStored
        self.privateAddress = privateAddress
        self.key = key
    }

    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        isToBeStored = try fields(\.isToBeStored, "store hint")
        privateAddress = try fields(\.privateAddress, "random address")
        key = try fields(\.key)
    }

    /// The two addresses. A trace does not show the key.
    package var details: String { "\(privateAddress) is \(key.device)" }
}

/// Reports a new signature resolving key.
package struct NewSignatureResolvingKeyEvent: ManagementEventParameters, FieldCoded {
    package static let form = ManagementForm(0x0019, "New Signature Resolving Key")

    package var isToBeStored: Bool
    package var key: SignatureResolvingKey

    package init(isToBeStored: Bool, _ key: SignatureResolvingKey) {
        self.isToBeStored = isToBeStored
        self.key = key
    }

    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        isToBeStored = try fields(\.isToBeStored, "store hint")
        key = try fields(\.key)
    }

    /// The device and the signer. A trace does not show the key.
    package var details: String { "\(key.device), \(key.kind.isLocal ? "local" : "remote")" }
}
