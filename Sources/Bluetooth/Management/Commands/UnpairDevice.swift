// SPDX-License-Identifier: MIT

/// Removes all keys of a device from the kernel. Needs `CAP_NET_ADMIN`.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, Unpair Device Command
package struct UnpairDevice: ManagementCommand, FieldCoded {
    package static let opcode = ManagementOpcode(rawValue: 0x001B)
    package static let name = "Unpair Device"

    package typealias ReturnParameters = ManagementAddress

    /// The device, by its identity address if it is known.
    package var device: ManagementAddress
    /// Whether links to the device are closed.
    package var disconnects: Bool

    package init(_ device: ManagementAddress, disconnects: Bool) {
        self.device = device
        self.disconnects = disconnects
    }

    init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        device = try fields(\.device)
        disconnects = try fields(\.disconnects, "disconnect")
    }

    package var details: String { disconnects ? "\(device), disconnect" : "\(device)" }
}
