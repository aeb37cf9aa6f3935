// SPDX-License-Identifier: MIT

/// A command was refused, or was accepted so that another event will report its result.
///
/// Opcode 0x0000 names no command: the event then only changes the number of commands that the controller accepts.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7.15
public struct CommandStatusEvent: HCIEventParameters {
    public static let code = HCIEventCode.commandStatus
    public static let name = "Command Status"

    /// Success if the command was accepted (Status).
    public var status: HCIStatus
    /// The number of further commands that the controller accepts (Num_HCI_Command_Packets).
    public var commandPackets: UInt8
    /// The command (Command_Opcode).
    public var opcode: HCIOpcode

    /// Creates the event.
    public init(_ opcode: HCIOpcode, status: HCIStatus, commandPackets: UInt8 = 1) {
        self.status = status
        self.commandPackets = commandPackets
        self.opcode = opcode
    }

    public init(from reader: inout ByteReader) throws(DecodeError) {
        status = try HCIStatus(from: &reader)
        commandPackets = try reader.uint8("Num_HCI_Command_Packets")
        opcode = try HCIOpcode(from: &reader)
    }

    public func encode(into writer: inout ByteWriter) {
        writer.append(status)
        writer.uint8(commandPackets)
        writer.append(opcode)
    }

    public var details: String { "\(opcode): \(status)" }
}
