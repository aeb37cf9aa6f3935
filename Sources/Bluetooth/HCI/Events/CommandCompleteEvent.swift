// SPDX-License-Identifier: MIT

/// A command has completed, with its return parameters.
///
/// Opcode 0x0000 names no command: the event then only changes the number of commands that the controller accepts.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7.14
public struct CommandCompleteEvent: HCIEventParameters {
    public static let code = HCIEventCode.commandComplete
    public static let name = "Command Complete"

    /// The number of further commands that the controller accepts (Num_HCI_Command_Packets).
    public var commandPackets: UInt8
    /// The command (Command_Opcode).
    public var opcode: HCIOpcode
    /// The return parameters, beginning with the status (Return_Parameters).
    public var returnParameters: [UInt8]

    /// Creates the event from encoded return parameters.
    public init(commandPackets: UInt8 = 1, opcode: HCIOpcode, returnParameters: [UInt8]) {
        self.commandPackets = commandPackets
        self.opcode = opcode
        self.returnParameters = returnParameters
    }

    /// Creates the event for a command that has succeeded.
    public init<Command: HCICommand>(_ command: Command.Type, _ returned: Command.ReturnParameters) {
        self.init(opcode: Command.opcode, returnParameters: [HCIStatus.success.rawValue] + returned.encoded())
    }

    /// Creates the event for a command that has failed.
    public init(_ opcode: HCIOpcode, failed status: HCIStatus) {
        self.init(opcode: opcode, returnParameters: [status.rawValue])
    }

    /// The status of the command; `nil` if the event has no return parameters.
    public var status: HCIStatus? { returnParameters.first.map(HCIStatus.init(rawValue:)) }

    public init(from reader: inout ByteReader) throws(DecodeError) {
        commandPackets = try reader.uint8("Num_HCI_Command_Packets")
        opcode = try HCIOpcode(from: &reader)
        returnParameters = reader.rest()
    }

    public func encode(into writer: inout ByteWriter) {
        writer.uint8(commandPackets)
        writer.append(opcode)
        writer.append(returnParameters)
    }

    public var details: String {
        guard let status else { return "\(opcode)" }
        let returned = HCICommandCatalog.returnDetails(of: opcode, Array(returnParameters.dropFirst()))
        guard status == .success, !returned.isEmpty else { return "\(opcode): \(status)" }
        return "\(opcode): \(status), \(returned)"
    }
}
