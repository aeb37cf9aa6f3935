// SPDX-License-Identifier: MIT

/// Asks for the combinations of roles that the controller supports.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.27
package struct LEReadSupportedStates: HCIParameterlessCommand {
    package static let opcode = HCIOpcode(.leController, 0x001C)
    package static let name = "LE Read Supported States"
    package static let supportBit: HCISupportBit? = HCISupportBit(28, 3)

    package init() {}

    /// The return parameters: a bit for each combination.
    package struct ReturnParameters: HCIReturnParameters, FieldCoded {
        /// One bit for each combination of states (LE_States).
        package var states: UInt64

        package init(states: UInt64) { self.states = states }

        init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
            states = try fields(\.states, "LE_States")
        }

        package var details: String { "0x" + Hex.string(states, minimumDigits: 16) }
    }
}
