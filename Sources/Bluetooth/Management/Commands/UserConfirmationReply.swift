// SPDX-License-Identifier: MIT

/// Answers a User Confirmation Request with yes. Needs `CAP_NET_ADMIN`.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, User Confirmation Reply Command
public struct UserConfirmationReply: ManagementDeviceCommand {
    public static let opcode = ManagementOpcode(rawValue: 0x001C)
    public static let name = "User Confirmation Reply"

    public typealias ReturnParameters = ManagementAddress

    /// The device.
    public var device: ManagementAddress

    /// Creates the command.
    public init(_ device: ManagementAddress) { self.device = device }
}
