// SPDX-License-Identifier: MIT

/// Gives the kernel the out-of-band data of a device, for its next pairing. Needs `CAP_NET_ADMIN`.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, Add Remote Out Of Band Data Command
package struct AddRemoteOutOfBandData: ManagementCommand, FieldCoded {
    package static let opcode = ManagementOpcode(rawValue: 0x0021)
    package static let name = "Add Remote Out Of Band Data"

    package typealias ReturnParameters = ManagementAddress

    package var device: ManagementAddress
    /// The device's data.
    package var data: OutOfBandData

    package init(_ device: ManagementAddress, _ data: OutOfBandData) {
        self.device = device
        self.data = data
    }

    init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        device = try fields(\.device)
        data = try fields(\.data)
    }

    package var details: String { "\(device), \(data.details)" }
}
