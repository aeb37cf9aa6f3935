// SPDX-License-Identifier: MIT

/// Asks the controller for its public address.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.4.6
public struct HCIReadBDADDR: HCIParameterlessCommand {
    public static let opcode = HCIOpcode(.informational, 0x0009)
    public static let name = "Read BD_ADDR"
    public static let completion = HCICommandCompletion.commandComplete
    public static let supportBit: HCISupportBit? = HCISupportBit(15, 1)

    /// Creates the command.
    public init() {}

    /// The public address.
    public struct ReturnParameters: HCIReturnParameters {
        /// The public address; all zeros if the controller has none (BD_ADDR).
        public var address: BluetoothAddress

        /// Creates the return parameters.
        public init(_ address: BluetoothAddress) { self.address = address }

        public init(from reader: inout ByteReader) throws(DecodeError) {
            address = BluetoothAddress(rawValue: try reader.uint48("BD_ADDR"))
        }

        public func encode(into writer: inout ByteWriter) { writer.append(address) }

        public var details: String { "\(address)" }
    }
}
