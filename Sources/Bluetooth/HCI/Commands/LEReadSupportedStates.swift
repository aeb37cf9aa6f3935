// SPDX-License-Identifier: MIT

/// Asks for the combinations of roles that the controller supports.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.27
public struct LEReadSupportedStates: HCIParameterlessCommand {
    public static let opcode = HCIOpcode(.leController, 0x001C)
    public static let name = "LE Read Supported States"
    public static let completion = HCICommandCompletion.commandComplete
    public static let supportBit: HCISupportBit? = HCISupportBit(28, 3)

    /// Creates the command.
    public init() {}

    /// The return parameters: a bit for each combination.
    public struct ReturnParameters: HCIReturnParameters {
        /// One bit for each combination of states (LE_States).
        public var states: UInt64

        /// Keeps all bits, also those that are reserved.
        public init(states: UInt64) { self.states = states }

        public init(from reader: inout ByteReader) throws(DecodeError) {
            states = try reader.uint64("LE_States")
        }

        public func encode(into writer: inout ByteWriter) { writer.uint64(states) }

        public var details: String { "0x" + Hex.string(states, minimumDigits: 16) }
    }
}
