// SPDX-License-Identifier: MIT

/// Asks the controller for its public address.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.4.6
package struct HCIReadBDADDR: HCIParameterlessCommand {
    package static let opcode = HCIOpcode(.informational, 0x0009)
    package static let name = "Read BD_ADDR"
    package static let supportBit: HCISupportBit? = HCISupportBit(15, 1)

    package init() {}

    /// The public address.
    package struct ReturnParameters: HCIReturnParameters, FieldCoded {
        /// The public address; all zeros if the controller has none (BD_ADDR).
        package var address: BluetoothAddress

        package init(_ address: BluetoothAddress) { self.address = address }

        init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
            address = try fields(\.address, "BD_ADDR")
        }

        package var details: String { "\(address)" }
    }
}
