// SPDX-License-Identifier: MIT

/// Starts and stops legacy advertising.
///
/// Connectable advertising also ends when a central connects.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.9
package struct LESetAdvertisingEnable: HCICommand, FieldCoded {
    package static let opcode = HCIOpcode(.leController, 0x000A)
    package static let name = "LE Set Advertising Enable"
    package static let supportBit: HCISupportBit? = HCISupportBit(26, 1)

    /// Whether to advertise (Advertising_Enable).
    package var isEnabled: Bool

    package init(isEnabled: Bool) { self.isEnabled = isEnabled }

    init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        isEnabled = try fields(\.isEnabled, "Advertising_Enable")
    }

    package var details: String { isEnabled ? "on" : "off" }
}
