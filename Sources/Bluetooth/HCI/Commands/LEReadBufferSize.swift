// SPDX-License-Identifier: MIT

/// Asks for the number and the size of the controller's buffers for data packets.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.2
public struct LEReadBufferSize: HCIParameterlessCommand {
    public static let opcode = HCIOpcode(.leController, 0x0002)
    public static let name = "LE Read Buffer Size"
    public static let completion = HCICommandCompletion.commandComplete
    public static let supportBit: HCISupportBit? = HCISupportBit(25, 1)

    /// Creates the command.
    public init() {}

    /// The return parameters: the size and the number of the buffers.
    public struct ReturnParameters: HCIReturnParameters {
        /// The maximum size of a data packet in octets; zero if LE shares the buffers of BR/EDR
        /// (LE_ACL_Data_Packet_Length).
        public var packetLength: UInt16
        /// The number of buffers (Total_Num_LE_ACL_Data_Packets).
        public var packetCount: UInt8

        /// Creates the return parameters.
        public init(packetLength: UInt16, packetCount: UInt8) {
            self.packetLength = packetLength
            self.packetCount = packetCount
        }

        public init(from reader: inout ByteReader) throws(DecodeError) {
            packetLength = try reader.uint16("LE_ACL_Data_Packet_Length")
            packetCount = try reader.uint8("Total_Num_LE_ACL_Data_Packets")
        }

        public func encode(into writer: inout ByteWriter) {
            writer.uint16(packetLength)
            writer.uint8(packetCount)
        }

        public var details: String { "\(count: packetCount, "packet") of \(count: packetLength, "octet")" }
    }
}
