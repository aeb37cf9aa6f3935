// SPDX-License-Identifier: MIT

/// The opcode of a management command. Unknown values are kept.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst
package struct ManagementOpcode: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }
}
