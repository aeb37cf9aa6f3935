// SPDX-License-Identifier: MIT

/// Answers a User Passkey Request without a passkey, which ends the pairing. Needs `CAP_NET_ADMIN`.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, User Passkey Negative Reply Command
package struct UserPasskeyNegativeReply: ManagementDeviceCommand {
    package static let opcode = ManagementOpcode(rawValue: 0x001F)
    package static let name = "User Passkey Negative Reply"

    package var device: ManagementAddress

    package init(_ device: ManagementAddress) { self.device = device }
}
