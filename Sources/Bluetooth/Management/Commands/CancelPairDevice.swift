// SPDX-License-Identifier: MIT

/// Cancels a Pair Device command to the same device. Needs `CAP_NET_ADMIN`.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, Cancel Pair Device Command
public struct CancelPairDevice: ManagementDeviceCommand {
    public static let opcode = ManagementOpcode(rawValue: 0x001A)
    public static let name = "Cancel Pair Device"

    public typealias ReturnParameters = ManagementAddress

    /// The device.
    public var device: ManagementAddress

    /// Creates the command.
    public init(_ device: ManagementAddress) { self.device = device }
}
