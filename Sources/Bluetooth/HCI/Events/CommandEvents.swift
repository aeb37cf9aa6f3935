// SPDX-License-Identifier: MIT

/// A command has completed, with its return parameters.
///
/// Opcode 0x0000 names no command: the event then only changes the number of commands that the controller accepts.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7.14
package struct CommandCompleteEvent: HCIEventParameters, FieldCoded {
    package static let form = HCIEventForm(.commandComplete, "Command Complete")

    /// The number of further commands that the controller accepts (Num_HCI_Command_Packets).
    package var commandPackets: UInt8
    package var opcode: HCIOpcode
    /// The return parameters, beginning with the status (Return_Parameters).
    package var returnParameters: [UInt8]

    package init(commandPackets: UInt8 = 1, opcode: HCIOpcode, returnParameters: [UInt8]) {
        self.commandPackets = commandPackets
        self.opcode = opcode
        self.returnParameters = returnParameters
    }

    package init<Command: HCICommand>(_ command: Command.Type, _ returned: Command.ReturnParameters) {
        self.init(opcode: Command.opcode, returnParameters: [HCIStatus.success.rawValue] + returned.encoded())
    }

    package init(_ opcode: HCIOpcode, failed status: HCIStatus) {
        self.init(opcode: opcode, returnParameters: [status.rawValue])
    }

    /// The status of the command; `nil` if the event has no return parameters.
    package var status: HCIStatus? { returnParameters.first.map(HCIStatus.init(rawValue:)) }

    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        commandPackets = try fields(\.commandPackets, "Num_HCI_Command_Packets")
        opcode = try fields(\.opcode)
        returnParameters = try fields.rest(\.returnParameters)
    }
}

/// A command was refused, or was accepted so that another event will report its result.
///
/// Opcode 0x0000 names no command: the event then only changes the number of commands that the controller accepts.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7.15
package struct CommandStatusEvent: HCIEventParameters, FieldCoded {
    package static let form = HCIEventForm(.commandStatus, "Command Status")

    /// Success if the command was accepted (Status).
    package var status: HCIStatus
    /// The number of further commands that the controller accepts (Num_HCI_Command_Packets).
    package var commandPackets: UInt8
    package var opcode: HCIOpcode

    package init(_ opcode: HCIOpcode, status: HCIStatus, commandPackets: UInt8 = 1) {
        self.status = status
        self.commandPackets = commandPackets
        self.opcode = opcode
    }

    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        status = try fields(\.status)
        commandPackets = try fields(\.commandPackets, "Num_HCI_Command_Packets")
        opcode = try fields(\.opcode)
    }

    package var details: String { "\(opcode): \(status)" }
}
