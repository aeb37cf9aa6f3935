// SPDX-License-Identifier: MIT

/// Reports that a controller failed.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, Controller Error Event
package struct ControllerErrorEvent: ManagementEventParameters, FieldCoded {
    package static let code: UInt16 = 0x0003
    package static let name = "Controller Error"

    /// The error code, which is specific to the controller.
    package var errorCode: UInt8

    package init(errorCode: UInt8) { self.errorCode = errorCode }

    init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        errorCode = try fields(\.errorCode, "error code")
    }

    package var details: String { "0x" + Hex.string(errorCode, minimumDigits: 2) }
}
