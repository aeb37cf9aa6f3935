// SPDX-License-Identifier: MIT

/// Asks for the range of the controller's transmit power.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.74
public struct LEReadTransmitPower: HCIParameterlessCommand {
    public static let opcode = HCIOpcode(.leController, 0x004B)
    public static let name = "LE Read Transmit Power"
    public static let completion = HCICommandCompletion.commandComplete
    public static let supportBit: HCISupportBit? = HCISupportBit(38, 7)

    /// Creates the command.
    public init() {}

    /// The return parameters: the limits in dBm.
    public struct ReturnParameters: HCIReturnParameters {
        /// The minimum in dBm (Min_TX_Power).
        public var minimum: Int8
        /// The maximum in dBm (Max_TX_Power).
        public var maximum: Int8

        /// Creates the return parameters.
        public init(minimum: Int8, maximum: Int8) {
            self.minimum = minimum
            self.maximum = maximum
        }

        public init(from reader: inout ByteReader) throws(DecodeError) {
            minimum = try reader.int8("Min_TX_Power")
            maximum = try reader.int8("Max_TX_Power")
        }

        public func encode(into writer: inout ByteWriter) {
            writer.int8(minimum)
            writer.int8(maximum)
        }

        public var details: String { "\(minimum) dBm to \(maximum) dBm" }
    }
}
