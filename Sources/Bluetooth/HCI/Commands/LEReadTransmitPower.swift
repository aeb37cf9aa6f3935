// SPDX-License-Identifier: MIT

/// Asks for the range of the controller's transmit power.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.74
package struct LEReadTransmitPower: HCIParameterlessCommand {
    package static let opcode = HCIOpcode(.leController, 0x004B)
    package static let name = "LE Read Transmit Power"
    package static let supportBit: HCISupportBit? = HCISupportBit(38, 7)

    package init() {}

    /// The return parameters: the limits in dBm.
    package struct ReturnParameters: HCIReturnParameters, FieldCoded {
        /// The minimum in dBm (Min_TX_Power).
        package var minimum: Int8
        /// The maximum in dBm (Max_TX_Power).
        package var maximum: Int8

        package init(minimum: Int8, maximum: Int8) {
            self.minimum = minimum
            self.maximum = maximum
        }

        init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
            minimum = try fields(\.minimum, "Min_TX_Power")
            maximum = try fields(\.maximum, "Max_TX_Power")
        }

        package var details: String { "\(minimum) dBm to \(maximum) dBm" }
    }
}
