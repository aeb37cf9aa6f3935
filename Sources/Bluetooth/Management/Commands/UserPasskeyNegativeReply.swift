// SPDX-License-Identifier: MIT

/// Answers a User Passkey Request without a passkey, which ends the pairing. Needs `CAP_NET_ADMIN`.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, User Passkey Negative Reply Command
public struct UserPasskeyNegativeReply: ManagementDeviceCommand {
    public static let opcode = ManagementOpcode(rawValue: 0x001F)
    public static let name = "User Passkey Negative Reply"

    public typealias ReturnParameters = ManagementAddress

    /// The device.
    public var device: ManagementAddress

    /// Creates the command.
    public init(_ device: ManagementAddress) { self.device = device }
}
