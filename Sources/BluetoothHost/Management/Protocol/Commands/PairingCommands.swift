// SPDX-License-Identifier: MIT

package import Bluetooth

/// Pairs with a device: connects if necessary, and completes when the keys are there or the pairing has failed. Needs
/// `CAP_NET_ADMIN`.
///
/// The kernel sends requests to the user as events, which must be answered by commands before this one completes. The
/// returned address is the identity address, if the device has distributed one.
package struct PairDevice: ManagementCommand, FieldCoded {
    package static let form = ManagementForm(0x0019, "Pair Device")

    package typealias ReturnParameters = ManagementAddress

    package var device: ManagementAddress
    /// The input and output of the machine for this pairing.
    package var capability: IOCapability

    package init(_ device: ManagementAddress, capability: IOCapability) {
        self.device = device
        self.capability = capability
    }

    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        device = try fields(\.device)
        capability = try fields(\.capability, "IO capability")
    }

    package var details: String { "\(device), \(capability)" }
}

/// Cancels a Pair Device command to the same device. Needs `CAP_NET_ADMIN`.
package struct CancelPairDevice: ManagementDeviceCommand {
    package static let form = ManagementForm(0x001A, "Cancel Pair Device")

    package var device: ManagementAddress

    package init(_ device: ManagementAddress) { self.device = device }
}

/// Removes all keys of a device from the kernel. Needs `CAP_NET_ADMIN`.
package struct UnpairDevice: ManagementCommand, FieldCoded {
    package static let form = ManagementForm(0x001B, "Unpair Device")

    package typealias ReturnParameters = ManagementAddress

    /// The device, by its identity address if it is known.
    package var device: ManagementAddress
    package var disconnects: Bool

    package init(_ device: ManagementAddress, disconnects: Bool) {
        self.device = device
        self.disconnects = disconnects
    }

    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        device = try fields(\.device)
        disconnects = try fields(\.disconnects, "disconnect")
    }

    package var details: String { disconnects ? "\(device), disconnect" : "\(device)" }
}

/// Answers a User Confirmation Request with yes. Needs `CAP_NET_ADMIN`.
package struct UserConfirmationReply: ManagementDeviceCommand {
    package static let form = ManagementForm(0x001C, "User Confirmation Reply")

    package var device: ManagementAddress

    package init(_ device: ManagementAddress) { self.device = device }
}

/// Answers a User Confirmation Request with no, which ends the pairing. Needs `CAP_NET_ADMIN`.
package struct UserConfirmationNegativeReply: ManagementDeviceCommand {
    package static let form = ManagementForm(0x001D, "User Confirmation Negative Reply")

    package var device: ManagementAddress

    package init(_ device: ManagementAddress) { self.device = device }
}

/// Answers a User Passkey Request with the passkey. Needs `CAP_NET_ADMIN`.
package struct UserPasskeyReply: ManagementCommand, FieldCoded {
    package static let form = ManagementForm(0x001E, "User Passkey Reply")

    package typealias ReturnParameters = ManagementAddress

    package var device: ManagementAddress
    /// The passkey: 0 to 999,999.
    package var passkey: UInt32

    package init(_ device: ManagementAddress, passkey: UInt32) {
        self.device = device
        self.passkey = passkey
    }

    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        device = try fields(\.device)
        passkey = try fields(\.passkey, "passkey")
    }

    /// The device. A trace does not show the passkey.
    package var details: String { "\(device)" }
}

/// Answers a User Passkey Request without a passkey, which ends the pairing. Needs `CAP_NET_ADMIN`.
package struct UserPasskeyNegativeReply: ManagementDeviceCommand {
    package static let form = ManagementForm(0x001F, "User Passkey Negative Reply")

    package var device: ManagementAddress

    package init(_ device: ManagementAddress) { self.device = device }
}
