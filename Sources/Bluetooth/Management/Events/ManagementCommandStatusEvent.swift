// SPDX-License-Identifier: MIT

/// Reports that a command failed or was started. Only the sender of the command receives it.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, Command Status Event
public struct ManagementCommandStatusEvent: ManagementEventParameters {
    public static let code: UInt16 = 0x0002
    public static let name = "Command Status"

    /// The command.
    public var opcode: ManagementOpcode
    /// The reason of the failure; success if the command was started.
    public var status: ManagementStatus

    /// Creates the event.
    public init(_ opcode: ManagementOpcode, status: ManagementStatus) {
        self.opcode = opcode
        self.status = status
    }

    public init(from reader: inout ByteReader) throws(DecodeError) {
        opcode = ManagementOpcode(rawValue: try reader.uint16("command opcode"))
        status = ManagementStatus(rawValue: try reader.uint8("status"))
    }

    public func encode(into writer: inout ByteWriter) {
        writer.uint16(opcode.rawValue)
        writer.uint8(status.rawValue)
    }

    public var details: String { "\(opcode): \(status)" }
}
