// SPDX-License-Identifier: MIT

/// Sets the random address for scanning, initiating and legacy advertising.
///
/// A controller refuses it with Command Disallowed during a scan, an attempt to connect or legacy advertising, because
/// the address is in use then.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.4
package struct LESetRandomAddress: HCICommand, FieldCoded {
    package static let opcode = HCIOpcode(.leController, 0x0005)
    package static let name = "LE Set Random Address"
    package static let supportBit: HCISupportBit? = HCISupportBit(25, 4)

    package var address: BluetoothAddress

    package init(_ address: BluetoothAddress) { self.address = address }

    init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        address = try fields(\.address, "Random_Address")
    }

    package var details: String { "\(address)" }
}
