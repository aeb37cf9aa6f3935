// SPDX-License-Identifier: MIT

/// Answers a User Confirmation Request with no, which ends the pairing. Needs `CAP_NET_ADMIN`.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, User Confirmation Negative Reply Command
public struct UserConfirmationNegativeReply: ManagementDeviceCommand {
    public static let opcode = ManagementOpcode(rawValue: 0x001D)
    public static let name = "User Confirmation Negative Reply"

    public typealias ReturnParameters = ManagementAddress

    /// The device.
    public var device: ManagementAddress

    /// Creates the command.
    public init(_ device: ManagementAddress) { self.device = device }
}
