// SPDX-License-Identifier: MIT

/// Answers a User Confirmation Request with yes. Needs `CAP_NET_ADMIN`.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, User Confirmation Reply Command
package struct UserConfirmationReply: ManagementDeviceCommand {
    package static let opcode = ManagementOpcode(rawValue: 0x001C)
    package static let name = "User Confirmation Reply"

    package var device: ManagementAddress

    package init(_ device: ManagementAddress) { self.device = device }
}
