// SPDX-License-Identifier: MIT

/// Reports that a command is complete, with its return parameters. Only the sender of the command receives it.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, Command Complete Event
public struct ManagementCommandCompleteEvent: ManagementEventParameters {
    public static let code: UInt16 = 0x0001
    public static let name = "Command Complete"

    /// The command.
    public var opcode: ManagementOpcode
    /// Whether the command succeeded.
    public var status: ManagementStatus
    /// The return parameters.
    public var returnParameters: [UInt8]

    /// Creates the event from encoded return parameters.
    public init(_ opcode: ManagementOpcode, status: ManagementStatus = .success, returnParameters: [UInt8] = []) {
        self.opcode = opcode
        self.status = status
        self.returnParameters = returnParameters
    }

    /// Creates the answer to a command that succeeded.
    public init<Command: ManagementCommand>(_ command: Command.Type, _ returned: Command.ReturnParameters) {
        self.init(Command.opcode, returnParameters: returned.encoded())
    }

    public init(from reader: inout ByteReader) throws(DecodeError) {
        opcode = ManagementOpcode(rawValue: try reader.uint16("command opcode"))
        status = ManagementStatus(rawValue: try reader.uint8("status"))
        returnParameters = reader.rest()
    }

    public func encode(into writer: inout ByteWriter) {
        writer.uint16(opcode.rawValue)
        writer.uint8(status.rawValue)
        writer.append(returnParameters)
    }

    public var details: String {
        guard status == .success else { return "\(opcode): \(status)" }
        let returned = ManagementCommandCatalog.returnDetails(of: opcode, returnParameters)
        return returned.isEmpty ? "\(opcode)" : "\(opcode): \(returned)"
    }
}
