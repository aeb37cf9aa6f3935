// SPDX-License-Identifier: MIT

/// The answer by which a boot loader refuses an order.
///
/// Spec: nRF5 SDK 11, BLE DFU Service; nRF5 SDK 17, DFU Protocol, `nrf_dfu_result_t` and `nrf_dfu_ext_error_code_t`
package struct DFURefusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// The protocol whose number the code is.
    package let format: DFUImage.Format
    package let code: UInt8
    /// The number that says more; `nil` if there is none.
    package let extended: UInt8?

    package init(_ format: DFUImage.Format, code: UInt8, extended: UInt8? = nil) {
        (self.format, self.code, self.extended) = (format, code, extended)
    }

    /// The result of an order that was carried out, in both protocols.
    static let success: UInt8 = 1

    static let legacyInvalidState = DFURefusal(.legacy, code: 2)
    static let legacyTooLarge = DFURefusal(.legacy, code: 4)
    static let legacyWrongChecksum = DFURefusal(.legacy, code: 5)
    static let legacyFailed = DFURefusal(.legacy, code: 6)
    static let secureNotSupported = DFURefusal(.secure, code: 2)
    static let secureInvalidParameter = DFURefusal(.secure, code: 3)
    static let secureInvalidObject = DFURefusal(.secure, code: 5)
    static let secureNotPermitted = DFURefusal(.secure, code: 8)
    static let secureFailed = DFURefusal(.secure, code: 10)
    /// What is there already is as new, or newer.
    package static let secureNotNewer = secure(extended: 5)

    static func secure(extended: UInt8) -> DFURefusal { DFURefusal(.secure, code: extendedError, extended: extended) }

    /// The code that says that another one follows.
    static let extendedError: UInt8 = 11

    /// The meaning, with the number. Spec names are in the order of their numbers.
    package var description: String {
        if let extended {
            let names = Self.extendedNames
            let name = names.indices.contains(Int(extended)) ? names[Int(extended)] : "unknown error"
            return "\(name) (DFU extended error \(extended))"
        }
        let names = format == .legacy ? Self.legacyNames : Self.secureNames
        return "\(names[code] ?? "unknown error") (DFU error \(code))"
    }

    private static let legacyNames: [UInt8: String] = [
        2: "not in this state", 3: "not supported", 4: "the firmware is too large",
        5: "the firmware has a wrong checksum",
        6: "failed, as flash that cannot be written or firmware for another device does",
    ]

    private static let secureNames: [UInt8: String] = [
        0: "invalid order", 2: "not supported", 3: "invalid parameter", 4: "out of memory", 5: "invalid object",
        7: "unsupported type", 8: "not permitted in this state", 10: "failed",
    ]

    private static let extendedNames = [
        "no further reason", "invalid error", "wrong form of an order", "unknown order", "invalid init packet",
        "the firmware is older than what runs, or has the same version", "the firmware is for other hardware",
        "the firmware is for another SoftDevice", "the firmware is not signed", "unknown kind of hash",
        "the hash cannot be made", "unknown kind of signature",
        "the firmware was signed with another key, or is damaged", "the firmware is too large",
    ]
}
