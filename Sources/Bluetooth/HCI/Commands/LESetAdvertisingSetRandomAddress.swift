// SPDX-License-Identifier: MIT

/// Sets the random address of an advertising set.
///
/// The set must exist. A controller refuses the command with Command Disallowed while the set advertises connectably.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.52
package struct LESetAdvertisingSetRandomAddress: HCICommand, FieldCoded {
    package static let opcode = HCIOpcode(.leController, 0x0035)
    package static let name = "LE Set Advertising Set Random Address"
    package static let supportBit: HCISupportBit? = HCISupportBit(36, 1)

    package var set: LEAdvertisingHandle
    package var address: BluetoothAddress

    package init(_ set: LEAdvertisingHandle, _ address: BluetoothAddress) {
        self.set = set
        self.address = address
    }

    init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        set = try fields(\.set)
        address = try fields(\.address, "Random_Address")
    }

    package var details: String { "set \(set), \(address)" }
}
