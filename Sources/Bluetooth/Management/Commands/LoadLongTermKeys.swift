// SPDX-License-Identifier: MIT

/// Replaces all long-term keys in the kernel. Needs `CAP_NET_ADMIN`. The keys of another manager of the adapter would
/// be lost. The kernel accepts identity addresses only.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, Load Long Term Keys Command
package struct LoadLongTermKeys: ManagementKeyListCommand {
    package static let opcode = ManagementOpcode(rawValue: 0x0013)
    package static let name = "Load Long Term Keys"
    package static let keyLength = LongTermKey.length

    package var keys: [LongTermKey]

    package init(_ keys: [LongTermKey]) { self.keys = keys }
}
