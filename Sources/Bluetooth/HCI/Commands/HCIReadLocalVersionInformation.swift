// SPDX-License-Identifier: MIT

/// Asks the controller for its manufacturer and its version of the specification.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.4.1
public struct HCIReadLocalVersionInformation: HCIParameterlessCommand {
    public static let opcode = HCIOpcode(.informational, 0x0001)
    public static let name = "Read Local Version Information"
    public static let completion = HCICommandCompletion.commandComplete
    public static let supportBit: HCISupportBit? = HCISupportBit(14, 3)

    /// Creates the command.
    public init() {}

    /// The return parameters: versions, revisions and the manufacturer.
    public struct ReturnParameters: HCIReturnParameters {
        /// The version of the host interface (HCI_Version).
        public var hciVersion: BluetoothVersion
        /// The manufacturer's revision of the host interface (HCI_Subversion).
        public var hciSubversion: UInt16
        /// The version of the link layer (LMP_Version).
        public var lmpVersion: BluetoothVersion
        /// The manufacturer's company identifier (Company_Identifier).
        public var company: UInt16
        /// The manufacturer's revision of the link layer (LMP_Subversion).
        public var lmpSubversion: UInt16

        /// Creates the return parameters.
        public init(
            hciVersion: BluetoothVersion,
            hciSubversion: UInt16,
            lmpVersion: BluetoothVersion,
            company: UInt16,
            lmpSubversion: UInt16
        ) {
            self.hciVersion = hciVersion
            self.hciSubversion = hciSubversion
            self.lmpVersion = lmpVersion
            self.company = company
            self.lmpSubversion = lmpSubversion
        }

        public init(from reader: inout ByteReader) throws(DecodeError) {
            hciVersion = BluetoothVersion(rawValue: try reader.uint8("HCI_Version"))
            hciSubversion = try reader.uint16("HCI_Subversion")
            lmpVersion = BluetoothVersion(rawValue: try reader.uint8("LMP_Version"))
            company = try reader.uint16("Company_Identifier")
            lmpSubversion = try reader.uint16("LMP_Subversion")
        }

        public func encode(into writer: inout ByteWriter) {
            writer.uint8(hciVersion.rawValue)
            writer.uint16(hciSubversion)
            writer.uint8(lmpVersion.rawValue)
            writer.uint16(company)
            writer.uint16(lmpSubversion)
        }

        public var details: String {
            "HCI \(hciVersion), LMP \(lmpVersion), company 0x\(Hex.string(company, minimumDigits: 4))"
        }
    }
}
