// SPDX-License-Identifier: MIT

/// Lets the kernel keep the keys of paired devices, or forbids it. Needs `CAP_NET_ADMIN`.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, Set Bondable Command
package struct SetBondable: ManagementSwitchCommand {
    package static let opcode = ManagementOpcode(rawValue: 0x0009)
    package static let name = "Set Bondable"

    /// Whether keys are kept.
    package var isOn: Bool

    package init(_ isOn: Bool) { self.isOn = isOn }
}
