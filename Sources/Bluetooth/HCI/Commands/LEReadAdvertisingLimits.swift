// SPDX-License-Identifier: MIT

/// Asks for the maximum length of advertising data.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.57
public struct LEReadMaximumAdvertisingDataLength: HCIParameterlessCommand {
    public static let opcode = HCIOpcode(.leController, 0x003A)
    public static let name = "LE Read Maximum Advertising Data Length"
    public static let completion = HCICommandCompletion.commandComplete
    public static let supportBit: HCISupportBit? = HCISupportBit(36, 6)

    /// Creates the command.
    public init() {}

    /// The return parameters: the limit for all sets.
    public struct ReturnParameters: HCIReturnParameters {
        /// The length in octets: 31…1,650 (Max_Advertising_Data_Length).
        public var length: UInt16

        /// Creates the return parameters.
        public init(length: UInt16) { self.length = length }

        public init(from reader: inout ByteReader) throws(DecodeError) {
            length = try reader.uint16("Max_Advertising_Data_Length")
        }

        public func encode(into writer: inout ByteWriter) { writer.uint16(length) }

        public var details: String { "\(count: length, "octet")" }
    }
}

/// Asks for the number of advertising sets that the controller supports.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.58
public struct LEReadNumberOfSupportedAdvertisingSets: HCIParameterlessCommand {
    public static let opcode = HCIOpcode(.leController, 0x003B)
    public static let name = "LE Read Number of Supported Advertising Sets"
    public static let completion = HCICommandCompletion.commandComplete
    public static let supportBit: HCISupportBit? = HCISupportBit(36, 7)

    /// Creates the command.
    public init() {}

    /// The return parameters: the number of sets. The controller may change it at any time, because it may need the
    /// memory for other purposes.
    public struct ReturnParameters: HCIReturnParameters {
        /// The number of sets: 1…240 (Num_Supported_Advertising_Sets).
        public var count: UInt8

        /// Creates the return parameters.
        public init(count: UInt8) { self.count = count }

        public init(from reader: inout ByteReader) throws(DecodeError) {
            count = try reader.uint8("Num_Supported_Advertising_Sets")
        }

        public func encode(into writer: inout ByteWriter) { writer.uint8(count) }

        public var details: String { "\(count: count, "set")" }
    }
}
