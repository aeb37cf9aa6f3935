// SPDX-License-Identifier: MIT

/// Asks the controller for the commands that it supports.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.4.2
package struct HCIReadLocalSupportedCommands: HCIParameterlessCommand {
    package static let opcode = HCIOpcode(.informational, 0x0002)
    package static let name = "Read Local Supported Commands"
    package static let supportBit: HCISupportBit? = nil

    package init() {}

    /// The table of commands.
    package struct ReturnParameters: HCIReturnParameters, FieldCoded {
        /// The commands that the controller supports (Supported_Commands).
        package var commands: HCISupportedCommands

        package init(_ commands: HCISupportedCommands) { self.commands = commands }

        init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
            commands = try fields(\.commands)
        }

        package var details: String { Hex.string(commands.encoded()) }
    }
}
