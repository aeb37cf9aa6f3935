// SPDX-License-Identifier: MIT

/// Asks the controller for the commands that it supports.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.4.2
public struct HCIReadLocalSupportedCommands: HCIParameterlessCommand {
    public static let opcode = HCIOpcode(.informational, 0x0002)
    public static let name = "Read Local Supported Commands"
    public static let completion = HCICommandCompletion.commandComplete
    public static let supportBit: HCISupportBit? = nil

    /// Creates the command.
    public init() {}

    /// The table of commands.
    public struct ReturnParameters: HCIReturnParameters {
        /// The commands that the controller supports (Supported_Commands).
        public var commands: HCISupportedCommands

        /// Creates the return parameters.
        public init(_ commands: HCISupportedCommands) { self.commands = commands }

        public init(from reader: inout ByteReader) throws(DecodeError) {
            commands = try HCISupportedCommands(from: &reader)
        }

        public func encode(into writer: inout ByteWriter) { writer.append(commands) }

        public var details: String { Hex.string(commands.encoded()) }
    }
}
