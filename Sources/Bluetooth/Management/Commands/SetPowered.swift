// SPDX-License-Identifier: MIT

/// Switches an adapter on or off. Needs `CAP_NET_ADMIN`.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, Set Powered Command
public struct SetPowered: ManagementSwitchCommand {
    public static let opcode = ManagementOpcode(rawValue: 0x0005)
    public static let name = "Set Powered"

    public typealias ReturnParameters = ManagementSettings

    /// Whether to power the adapter.
    public var isOn: Bool

    /// Creates the command.
    public init(_ isOn: Bool) { self.isOn = isOn }
}
