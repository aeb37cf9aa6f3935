// SPDX-License-Identifier: MIT

/// Starts and stops a legacy scan.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.11
package struct LESetScanEnable: HCICommand, FieldCoded {
    package static let opcode = HCIOpcode(.leController, 0x000C)
    package static let name = "LE Set Scan Enable"
    package static let supportBit: HCISupportBit? = HCISupportBit(26, 3)

    /// Whether to scan (LE_Scan_Enable).
    package var isEnabled: Bool
    /// Whether the controller drops duplicates (Filter_Duplicates). Its table is limited, so that some may be reported
    /// nevertheless.
    package var filtersDuplicates: Bool

    package init(isEnabled: Bool, filtersDuplicates: Bool = false) {
        self.isEnabled = isEnabled
        self.filtersDuplicates = filtersDuplicates
    }

    init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        isEnabled = try fields(\.isEnabled, "LE_Scan_Enable")
        filtersDuplicates = try fields(\.filtersDuplicates, "Filter_Duplicates")
    }

    package var details: String {
        guard isEnabled else { return "off" }
        return filtersDuplicates ? "on, duplicates filtered" : "on"
    }
}
