// SPDX-License-Identifier: MIT

/// Asks for the transmit power of legacy advertisements.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.6
package struct LEReadAdvertisingPhysicalChannelTxPower: HCIParameterlessCommand {
    package static let opcode = HCIOpcode(.leController, 0x0007)
    package static let name = "LE Read Advertising Physical Channel Tx Power"
    package static let supportBit: HCISupportBit? = HCISupportBit(25, 6)

    package init() {}

    /// The return parameters: the level in dBm.
    package struct ReturnParameters: HCIReturnParameters, FieldCoded {
        /// The power in dBm, from -20 to 20 (TX_Power_Level).
        package var power: Int8

        package init(power: Int8) { self.power = power }

        init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
            power = try fields(\.power, "TX_Power_Level")
        }

        package var details: String { "\(power) dBm" }
    }
}
