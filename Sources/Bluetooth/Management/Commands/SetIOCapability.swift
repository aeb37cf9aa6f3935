// SPDX-License-Identifier: MIT

/// Sets the input and output of the machine for pairings. Needs `CAP_NET_ADMIN`.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, Set IO Capability Command
package struct SetIOCapability: ManagementCommand, FieldCoded {
    package static let opcode = ManagementOpcode(rawValue: 0x0018)
    package static let name = "Set IO Capability"

    package typealias ReturnParameters = NoManagementReturnParameters

    /// The input and output.
    package var capability: IOCapability

    package init(_ capability: IOCapability) { self.capability = capability }

    init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        capability = try fields(\.capability, "IO capability")
    }

    package var details: String { "\(capability)" }
}
