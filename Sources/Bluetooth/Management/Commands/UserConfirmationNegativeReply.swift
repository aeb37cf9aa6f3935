// SPDX-License-Identifier: MIT

/// Answers a User Confirmation Request with no, which ends the pairing. Needs `CAP_NET_ADMIN`.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, User Confirmation Negative Reply Command
package struct UserConfirmationNegativeReply: ManagementDeviceCommand {
    package static let opcode = ManagementOpcode(rawValue: 0x001D)
    package static let name = "User Confirmation Negative Reply"

    package var device: ManagementAddress

    package init(_ device: ManagementAddress) { self.device = device }
}
