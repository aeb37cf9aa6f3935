// SPDX-License-Identifier: MIT

/// Pairs with a device: connects if necessary, and completes when the keys are there or the pairing has failed. Needs
/// `CAP_NET_ADMIN`.
///
/// The kernel sends requests to the user as events, which must be answered by commands before this one completes. The
/// returned address is the identity address, if the device has distributed one.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, Pair Device Command
package struct PairDevice: ManagementCommand, FieldCoded {
    package static let opcode = ManagementOpcode(rawValue: 0x0019)
    package static let name = "Pair Device"

    package typealias ReturnParameters = ManagementAddress

    package var device: ManagementAddress
    /// The input and output of the machine for this pairing.
    package var capability: IOCapability

    package init(_ device: ManagementAddress, capability: IOCapability) {
        self.device = device
        self.capability = capability
    }

    init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        device = try fields(\.device)
        capability = try fields(\.capability, "IO capability")
    }

    package var details: String { "\(device), \(capability)" }
}
