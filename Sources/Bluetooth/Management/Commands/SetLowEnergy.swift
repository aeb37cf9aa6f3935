// SPDX-License-Identifier: GPL-2.0-or-later

/// Switches Low Energy on or off. Needs `CAP_NET_ADMIN`.
///
/// On an adapter that has Low Energy only it is on, and cannot be switched off.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, Set Low Energy Command
public struct SetLowEnergy: ManagementSwitchCommand {
    public static let opcode = ManagementOpcode(rawValue: 0x000D)
    public static let name = "Set Low Energy"

    public typealias ReturnParameters = ManagementSettings

    /// Whether it is to be on.
    public var isOn: Bool

    /// Makes the command.
    public init(_ isOn: Bool) { self.isOn = isOn }
}
