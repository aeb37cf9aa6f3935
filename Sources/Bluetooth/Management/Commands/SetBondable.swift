// SPDX-License-Identifier: MIT

/// Lets the kernel keep the keys of paired devices, or forbids it. Needs `CAP_NET_ADMIN`.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, Set Bondable Command
public struct SetBondable: ManagementSwitchCommand {
    public static let opcode = ManagementOpcode(rawValue: 0x0009)
    public static let name = "Set Bondable"

    public typealias ReturnParameters = ManagementSettings

    /// Whether keys are kept.
    public var isOn: Bool

    /// Creates the command.
    public init(_ isOn: Bool) { self.isOn = isOn }
}
