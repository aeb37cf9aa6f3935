// SPDX-License-Identifier: MIT

package import Bluetooth

/// Asks the user whether to pair, or whether two numbers are the same.
package struct UserConfirmationRequestEvent: ManagementEventParameters, FieldCoded {
    package static let form = ManagementForm(0x000F, "User Confirmation Request")

    package var device: ManagementAddress
    /// Whether the question is only whether to pair. The number has no meaning then.
    package var isOnlyConsent: Bool
    /// The number to compare: 0 to 999,999.
    package var value: UInt32

    package init(_ device: ManagementAddress, isOnlyConsent: Bool, value: UInt32) {
        self.device = device
        self.isOnlyConsent = isOnlyConsent
        self.value = value
    }

    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        device = try fields(\.device)
        isOnlyConsent = try fields(\.isOnlyConsent, "confirm hint")
        value = try fields(\.value, "value")
    }

    package var details: String { isOnlyConsent ? "\(device), consent" : "\(device), compare a number" }
}

/// Asks the user for the passkey that the device shows.
package struct UserPasskeyRequestEvent: ManagementEventParameters, FieldCoded {
    package static let form = ManagementForm(0x0010, "User Passkey Request")

    package var device: ManagementAddress

    package init(_ device: ManagementAddress) { self.device = device }

    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        device = try fields(\.device)
    }

    package var details: String { "\(device)" }
}

/// Reports the passkey that the user has to enter at the device.
package struct PasskeyNotifyEvent: ManagementEventParameters, FieldCoded {
    package static let form = ManagementForm(0x0017, "Passkey Notify")

    package var device: ManagementAddress
    /// The passkey: 0 to 999,999.
    package var passkey: UInt32
    /// The number of digits that were entered so far.
    package var enteredCount: UInt8

    package init(_ device: ManagementAddress, passkey: UInt32, enteredCount: UInt8 = 0) {
        self.device = device
        self.passkey = passkey
        self.enteredCount = enteredCount
    }

    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        device = try fields(\.device)
        passkey = try fields(\.passkey, "passkey")
        enteredCount = try fields(\.enteredCount, "entered")
    }

    /// The device. A trace does not show the passkey.
    package var details: String { "\(device), \(count: Int(enteredCount), "digit") entered" }
}

/// Reports that a pairing or the encryption of a link has failed.
package struct AuthenticationFailedEvent: ManagementEventParameters, FieldCoded {
    package static let form = ManagementForm(0x0011, "Authentication Failed")

    package var device: ManagementAddress
    /// The failure. The kernel does not pass on the reason that the device gave.
    package var status: ManagementStatus

    package init(_ device: ManagementAddress, status: ManagementStatus) {
        self.device = device
        self.status = status
    }

    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        device = try fields(\.device)
        status = try fields(\.status, "status")
    }

    package var details: String { "\(device), \(status)" }
}

/// Reports that a device could not be connected.
package struct ConnectFailedEvent: ManagementEventParameters, FieldCoded {
    package static let form = ManagementForm(0x000D, "Connect Failed")

    package var device: ManagementAddress
    package var status: ManagementStatus

    package init(_ device: ManagementAddress, status: ManagementStatus) {
        self.device = device
        self.status = status
    }

    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        device = try fields(\.device)
        status = try fields(\.status, "status")
    }

    package var details: String { "\(device), \(status)" }
}
