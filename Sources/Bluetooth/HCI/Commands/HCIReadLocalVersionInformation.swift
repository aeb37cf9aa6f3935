// SPDX-License-Identifier: MIT

/// Asks the controller for its manufacturer and its version of the specification.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.4.1
package struct HCIReadLocalVersionInformation: HCIParameterlessCommand {
    package static let opcode = HCIOpcode(.informational, 0x0001)
    package static let name = "Read Local Version Information"
    package static let supportBit: HCISupportBit? = HCISupportBit(14, 3)

    package init() {}

    /// The return parameters: versions, revisions and the manufacturer.
    package struct ReturnParameters: HCIReturnParameters, FieldCoded {
        /// The version of the host interface (HCI_Version).
        package var hciVersion: BluetoothVersion
        /// The manufacturer's revision of the host interface (HCI_Subversion).
        package var hciSubversion: UInt16
        /// The version of the link layer (LMP_Version).
        package var lmpVersion: BluetoothVersion
        /// The manufacturer's company identifier (Company_Identifier).
        package var company: UInt16
        /// The manufacturer's revision of the link layer (LMP_Subversion).
        package var lmpSubversion: UInt16

        package init(
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

        init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
            hciVersion = try fields(\.hciVersion, "HCI_Version")
            hciSubversion = try fields(\.hciSubversion, "HCI_Subversion")
            lmpVersion = try fields(\.lmpVersion, "LMP_Version")
            company = try fields(\.company, "Company_Identifier")
            lmpSubversion = try fields(\.lmpSubversion, "LMP_Subversion")
        }

        package var details: String {
            "HCI \(hciVersion), LMP \(lmpVersion), company 0x\(Hex.string(company, minimumDigits: 4))"
        }
    }
}
