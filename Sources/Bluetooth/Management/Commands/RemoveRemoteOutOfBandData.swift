// SPDX-License-Identifier: MIT

/// Removes the out-of-band data of a device from the kernel. Needs `CAP_NET_ADMIN`.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, Remove Remote Out Of Band Data Command
public struct RemoveRemoteOutOfBandData: ManagementDeviceCommand {
    public static let opcode = ManagementOpcode(rawValue: 0x0022)
    public static let name = "Remove Remote Out Of Band Data"

    public typealias ReturnParameters = ManagementAddress

    /// The device.
    public var device: ManagementAddress

    /// Creates the command.
    public init(_ device: ManagementAddress) { self.device = device }
}
