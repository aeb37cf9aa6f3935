// SPDX-License-Identifier: MIT

/// Answers a User Passkey Request with the passkey. Needs `CAP_NET_ADMIN`.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, User Passkey Reply Command
package struct UserPasskeyReply: ManagementCommand, FieldCoded {
    package static let opcode = ManagementOpcode(rawValue: 0x001E)
    package static let name = "User Passkey Reply"

    package typealias ReturnParameters = ManagementAddress

    package var device: ManagementAddress
    /// The passkey: 0 to 999,999.
    package var passkey: UInt32

    package init(_ device: ManagementAddress, passkey: UInt32) {
        self.device = device
        self.passkey = passkey
    }

    init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        device = try fields(\.device)
        passkey = try fields(\.passkey, "passkey")
    }

    /// The device. A trace does not show the passkey.
    package var details: String { "\(device)" }
}
