// SPDX-License-Identifier: MIT

/// Cancels a Pair Device command to the same device. Needs `CAP_NET_ADMIN`.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, Cancel Pair Device Command
package struct CancelPairDevice: ManagementDeviceCommand {
    package static let opcode = ManagementOpcode(rawValue: 0x001A)
    package static let name = "Cancel Pair Device"

    package var device: ManagementAddress

    package init(_ device: ManagementAddress) { self.device = device }
}
