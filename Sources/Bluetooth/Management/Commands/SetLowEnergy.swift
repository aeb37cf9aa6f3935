// SPDX-License-Identifier: MIT

/// Switches Low Energy on or off. Needs `CAP_NET_ADMIN`.
///
/// An adapter with Low Energy only refuses to switch it off, because nothing would remain.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, Set Low Energy Command
package struct SetLowEnergy: ManagementSwitchCommand {
    package static let opcode = ManagementOpcode(rawValue: 0x000D)
    package static let name = "Set Low Energy"

    /// Whether to switch Low Energy on.
    package var isOn: Bool

    package init(_ isOn: Bool) { self.isOn = isOn }
}
