// SPDX-License-Identifier: GPL-2.0-or-later

/// Asks which roles the controller can play at the same time.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.27
public struct LEReadSupportedStates: HCIParameterlessCommand {
    public static let opcode = HCIOpcode(.leController, 0x001C)
    public static let name = "LE Read Supported States"
    public static let completion = HCICommandCompletion.commandComplete
    public static let supportBit: HCISupportBit? = HCISupportBit(28, 3)

    /// Makes the command.
    public init() {}

    /// The states.
    public struct ReturnParameters: HCIReturnParameters {
        /// One bit for each combination of states (LE_States).
        public var states: UInt64

        /// Takes the bits as they are.
        public init(states: UInt64) { self.states = states }

        public init(from reader: inout ByteReader) throws(DecodeError) {
            states = try reader.uint64("LE_States")
        }

        public func encode(into writer: inout ByteWriter) { writer.uint64(states) }

        public var details: String { "0x" + Hex.string(states, minimumDigits: 16) }
    }
}
