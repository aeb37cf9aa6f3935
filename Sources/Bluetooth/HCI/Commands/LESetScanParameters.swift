// SPDX-License-Identifier: MIT

/// Sets the parameters of a legacy scan.
///
/// A controller refuses it with Command Disallowed during a scan, so a running scan has to be stopped first. It also
/// refuses it after a command for extended scans or advertising, because a host must not mix the two until a reset.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.10
package struct LESetScanParameters: HCICommand, FieldCoded {
    package static let opcode = HCIOpcode(.leController, 0x000B)
    package static let name = "LE Set Scan Parameters"
    package static let supportBit: HCISupportBit? = HCISupportBit(26, 2)

    /// Active or passive (LE_Scan_Type).
    package var type: LEScanType
    /// The time between the starts of two scan windows: 0x0004…0x4000 (LE_Scan_Interval).
    package var interval: LEInterval<625>
    /// The duration of each scan window, at most the interval (LE_Scan_Window).
    package var window: LEInterval<625>
    /// The address in scan requests (Own_Address_Type).
    package var ownAddressType: LEOwnAddressType
    /// The advertisements to report (Scanning_Filter_Policy).
    package var filterPolicy: LEScanFilterPolicy

    package init(
        type: LEScanType,
        interval: LEInterval<625>,
        window: LEInterval<625>,
        ownAddressType: LEOwnAddressType = .public,
        filterPolicy: LEScanFilterPolicy = .all
    ) {
        self.type = type
        self.interval = interval
        self.window = window
        self.ownAddressType = ownAddressType
        self.filterPolicy = filterPolicy
    }

    init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        type = try fields(\.type, "LE_Scan_Type")
        interval = try fields(\.interval, "LE_Scan_Interval")
        window = try fields(\.window, "LE_Scan_Window")
        ownAddressType = try fields(\.ownAddressType, "Own_Address_Type")
        filterPolicy = try fields(\.filterPolicy, "Scanning_Filter_Policy")
    }

    package var details: String {
        "\(type), window \(window) of \(interval), own address \(ownAddressType), filter \(filterPolicy)"
    }
}
