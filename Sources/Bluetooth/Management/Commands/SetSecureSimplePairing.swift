// SPDX-License-Identifier: MIT

/// Switches Secure Simple Pairing of Basic Rate on or off. A dual-mode controller has Secure Connections, also those of
/// Low Energy, only together with it. Needs `CAP_NET_ADMIN`.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, Set Secure Simple Pairing Command
package struct SetSecureSimplePairing: ManagementSwitchCommand {
    package static let opcode = ManagementOpcode(rawValue: 0x000B)
    package static let name = "Set Secure Simple Pairing"

    /// Whether Secure Simple Pairing is used.
    package var isOn: Bool

    package init(_ isOn: Bool) { self.isOn = isOn }
}
