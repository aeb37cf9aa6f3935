// SPDX-License-Identifier: MIT

/// Switches an adapter on or off. Needs `CAP_NET_ADMIN`.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, Set Powered Command
package struct SetPowered: ManagementSwitchCommand {
    package static let opcode = ManagementOpcode(rawValue: 0x0005)
    package static let name = "Set Powered"

    /// Whether to power the adapter.
    package var isOn: Bool

    package init(_ isOn: Bool) { self.isOn = isOn }
}
