// SPDX-License-Identifier: MIT

/// A command was refused, or was accepted so that another event will report its result.
///
/// Opcode 0x0000 names no command: the event then only changes the number of commands that the controller accepts.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7.15
package struct CommandStatusEvent: HCIEventParameters, FieldCoded {
    package static let code = HCIEventCode.commandStatus
    package static let name = "Command Status"

    /// Success if the command was accepted (Status).
    package var status: HCIStatus
    /// The number of further commands that the controller accepts (Num_HCI_Command_Packets).
    package var commandPackets: UInt8
    /// The command (Command_Opcode).
    package var opcode: HCIOpcode

    package init(_ opcode: HCIOpcode, status: HCIStatus, commandPackets: UInt8 = 1) {
        self.status = status
        self.commandPackets = commandPackets
        self.opcode = opcode
    }

    init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        status = try fields(\.status)
        commandPackets = try fields(\.commandPackets, "Num_HCI_Command_Packets")
        opcode = try fields(\.opcode)
    }

    package var details: String { "\(opcode): \(status)" }
}
