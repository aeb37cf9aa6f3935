// SPDX-License-Identifier: MIT

/// Asks for the transmit power of legacy advertisements.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.6
public struct LEReadAdvertisingPhysicalChannelTxPower: HCIParameterlessCommand {
    public static let opcode = HCIOpcode(.leController, 0x0007)
    public static let name = "LE Read Advertising Physical Channel Tx Power"
    public static let completion = HCICommandCompletion.commandComplete
    public static let supportBit: HCISupportBit? = HCISupportBit(25, 6)

    /// Creates the command.
    public init() {}

    /// The return parameters: the level in dBm.
    public struct ReturnParameters: HCIReturnParameters {
        /// The power in dBm, from -20 to 20 (TX_Power_Level).
        public var power: Int8

        /// Creates the return parameters.
        public init(power: Int8) { self.power = power }

        public init(from reader: inout ByteReader) throws(DecodeError) { power = try reader.int8("TX_Power_Level") }

        public func encode(into writer: inout ByteWriter) { writer.int8(power) }

        public var details: String { "\(power) dBm" }
    }
}
