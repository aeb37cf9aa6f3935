// SPDX-License-Identifier: MIT

/// Switches Low Energy on or off. Needs `CAP_NET_ADMIN`.
///
/// An adapter with Low Energy only refuses to switch it off, because nothing would remain.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, Set Low Energy Command
public struct SetLowEnergy: ManagementSwitchCommand {
    public static let opcode = ManagementOpcode(rawValue: 0x000D)
    public static let name = "Set Low Energy"

    public typealias ReturnParameters = ManagementSettings

    /// Whether to switch Low Energy on.
    public var isOn: Bool

    /// Creates the command.
    public init(_ isOn: Bool) { self.isOn = isOn }
}
