// SPDX-License-Identifier: MIT

/// Removes the out-of-band data of a device from the kernel. Needs `CAP_NET_ADMIN`.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, Remove Remote Out Of Band Data Command
package struct RemoveRemoteOutOfBandData: ManagementDeviceCommand {
    package static let opcode = ManagementOpcode(rawValue: 0x0022)
    package static let name = "Remove Remote Out Of Band Data"

    package var device: ManagementAddress

    package init(_ device: ManagementAddress) { self.device = device }
}
