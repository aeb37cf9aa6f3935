// SPDX-License-Identifier: MIT

/// Starts and stops an extended scan.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.65
package struct LESetExtendedScanEnable: HCICommand, FieldCoded {
    package static let opcode = HCIOpcode(.leController, 0x0042)
    package static let name = "LE Set Extended Scan Enable"
    package static let supportBit: HCISupportBit? = HCISupportBit(37, 6)

    /// Whether the controller drops duplicates. Its table is limited, so that some may be reported nevertheless.
    package enum DuplicateFilter: UInt8, Hashable, Sendable {
        /// All advertisements are reported.
        case off = 0x00
        /// Each advertiser is reported once.
        case on = 0x01
        /// Each advertiser is reported once in every scan period.
        case resetEachPeriod = 0x02
    }

    /// Whether to scan (Enable).
    package var isEnabled: Bool
    /// The treatment of duplicates (Filter_Duplicates).
    package var duplicateFilter: DuplicateFilter
    /// The duration of the scan; zero for no limit (Duration).
    package var duration: LEInterval<10_000>
    /// The time between the starts of two durations; zero for a single one (Period).
    package var period: LEInterval<1_280_000>

    package init(
        isEnabled: Bool,
        duplicateFilter: DuplicateFilter = .off,
        duration: LEInterval<10_000> = .init(rawValue: 0),
        period: LEInterval<1_280_000> = .init(rawValue: 0)
    ) {
        self.isEnabled = isEnabled
        self.duplicateFilter = duplicateFilter
        self.duration = duration
        self.period = period
    }

    init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        isEnabled = try fields(\.isEnabled, "Enable")
        duplicateFilter = try fields(\.duplicateFilter, "Filter_Duplicates")
        duration = try fields(\.duration, "Duration")
        period = try fields(\.period, "Period")
    }

    package var details: String {
        guard isEnabled else { return "off" }
        var text = "on, duplicate filter \(duplicateFilter)"
        if duration.rawValue != 0 { text += ", for \(duration)" }
        if period.rawValue != 0 { text += ", every \(period)" }
        return text
    }
}
