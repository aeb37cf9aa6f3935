// SPDX-License-Identifier: MIT

/// Asks for the number and the size of the controller's buffers for data packets.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.2
package struct LEReadBufferSize: HCIParameterlessCommand {
    package static let opcode = HCIOpcode(.leController, 0x0002)
    package static let name = "LE Read Buffer Size"
    package static let supportBit: HCISupportBit? = HCISupportBit(25, 1)

    package init() {}

    /// The return parameters: the size and the number of the buffers.
    package struct ReturnParameters: HCIReturnParameters, FieldCoded {
        /// The maximum size of a data packet in octets; zero if LE shares the buffers of BR/EDR
        /// (LE_ACL_Data_Packet_Length).
        package var packetLength: UInt16
        /// The number of buffers (Total_Num_LE_ACL_Data_Packets).
        package var packetCount: UInt8

        package init(packetLength: UInt16, packetCount: UInt8) {
            self.packetLength = packetLength
            self.packetCount = packetCount
        }

        init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
            packetLength = try fields(\.packetLength, "LE_ACL_Data_Packet_Length")
            packetCount = try fields(\.packetCount, "Total_Num_LE_ACL_Data_Packets")
        }

        package var details: String { "\(count: packetCount, "packet") of \(count: packetLength, "octet")" }
    }
}
