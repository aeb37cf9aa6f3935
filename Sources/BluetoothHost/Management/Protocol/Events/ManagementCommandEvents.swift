// SPDX-License-Identifier: MIT

package import Bluetooth

/// Reports that a command is complete, with its return parameters. Only the sender of the command receives it.
package struct ManagementCommandCompleteEvent: ManagementEventParameters, FieldCoded {
    package static let form = ManagementForm(0x0001, "Command Complete")

    package var opcode: ManagementOpcode
    package var status: ManagementStatus
    package var returnParameters: [UInt8]

    package init(_ opcode: ManagementOpcode, status: ManagementStatus = .success, returnParameters: [UInt8] = []) {
        self.opcode = opcode
        self.status = status
        self.returnParameters = returnParameters
    }

    package init<Command: ManagementCommand>(_ command: Command.Type, _ returned: Command.ReturnParameters) {
        self.init(Command.opcode, returnParameters: returned.encoded())
    }

    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        opcode = try fields(\.opcode, "command opcode")
        status = try fields(\.status, "status")
        returnParameters = try fields.rest(\.returnParameters)
    }
}

/// Reports that a command failed or was started. Only the sender of the command receives it.
package struct ManagementCommandStatusEvent: ManagementEventParameters, FieldCoded {
    package static let form = ManagementForm(0x0002, "Command Status")

    package var opcode: ManagementOpcode
    /// The reason of the failure; success if the command was started.
    package var status: ManagementStatus

    package init(_ opcode: ManagementOpcode, status: ManagementStatus) {
        self.opcode = opcode
        self.status = status
    }

    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        opcode = try fields(\.opcode, "command opcode")
        status = try fields(\.status, "status")
    }

    package var details: String { "\(opcode): \(status)" }
}
