// SPDX-License-Identifier: MIT

/// The controller has failed and lost its state.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7.16
package struct HardwareErrorEvent: HCIEventParameters, FieldCoded {
    package static let code = HCIEventCode.hardwareError
    package static let name = "Hardware Error"

    /// The manufacturer's number for the failure (Hardware_Code).
    package var hardwareCode: UInt8

    package init(hardwareCode: UInt8) { self.hardwareCode = hardwareCode }

    init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        hardwareCode = try fields(\.hardwareCode, "Hardware_Code")
    }

    package var details: String { "0x" + Hex.string(hardwareCode, minimumDigits: 2) }
}
