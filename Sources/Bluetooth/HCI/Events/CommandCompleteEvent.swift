// SPDX-License-Identifier: GPL-2.0-or-later

/// A command is done; this is what it returned.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7.14
public struct CommandCompleteEvent: HCIEventParameters {
    public static let code = HCIEventCode.commandComplete
    public static let name = "Command Complete"

    /// How many further commands the controller takes (Num_HCI_Command_Packets).
    public var commandPackets: UInt8
    /// The command (Command_Opcode).
    public var opcode: HCIOpcode
    /// What it returned, the status first (Return_Parameters).
    public var returnParameters: [UInt8]

    /// Makes the event from octets.
    public init(commandPackets: UInt8 = 1, opcode: HCIOpcode, returnParameters: [UInt8]) {
        self.commandPackets = commandPackets
        self.opcode = opcode
        self.returnParameters = returnParameters
    }

    /// Answers a command with success and what it returns.
    public init<Command: HCICommand>(_ command: Command.Type, _ returned: Command.ReturnParameters) {
        self.init(opcode: Command.opcode, returnParameters: [HCIStatus.success.rawValue] + returned.encoded())
    }

    /// Answers a command with an error.
    public init(_ opcode: HCIOpcode, failed status: HCIStatus) {
        self.init(opcode: opcode, returnParameters: [status.rawValue])
    }

    /// The status of the command; `nil` where nothing was returned.
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
