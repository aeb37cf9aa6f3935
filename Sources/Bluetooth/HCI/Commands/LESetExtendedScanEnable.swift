// SPDX-License-Identifier: MIT

/// Starts and stops an extended scan.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.65
public struct LESetExtendedScanEnable: HCICommand {
    public typealias ReturnParameters = HCINoReturnParameters

    public static let opcode = HCIOpcode(.leController, 0x0042)
    public static let name = "LE Set Extended Scan Enable"
    public static let completion = HCICommandCompletion.commandComplete
    public static let supportBit: HCISupportBit? = HCISupportBit(37, 6)

    /// Whether the controller drops duplicates. Its table is limited, so that some may be reported nevertheless.
    public enum DuplicateFilter: UInt8, Hashable, Sendable {
        /// All advertisements are reported.
        case off = 0x00
        /// Each advertiser is reported once.
        case on = 0x01
        /// Each advertiser is reported once in every scan period.
        case resetEachPeriod = 0x02
    }

    /// Whether to scan (Enable).
    public var isEnabled: Bool
    /// The treatment of duplicates (Filter_Duplicates).
    public var duplicateFilter: DuplicateFilter
    /// The duration of the scan; zero for no limit (Duration).
    public var duration: LEInterval<10_000>
    /// The time between the starts of two durations; zero for a single one (Period).
    public var period: LEInterval<1_280_000>

    /// Creates the command.
    public init(
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

    public init(from reader: inout ByteReader) throws(DecodeError) {
        isEnabled = try reader.flag("Enable")
        duplicateFilter = try reader.value("Filter_Duplicates")
        duration = try LEInterval(from: &reader, "Duration")
        period = try LEInterval(from: &reader, "Period")
    }

    public func encode(into writer: inout ByteWriter) {
        writer.flag(isEnabled)
        writer.uint8(duplicateFilter.rawValue)
        writer.append(duration)
        writer.append(period)
    }

    public var details: String {
        guard isEnabled else { return "off" }
        var text = "on, duplicate filter \(duplicateFilter)"
        if duration.rawValue != 0 { text += ", for \(duration)" }
        if period.rawValue != 0 { text += ", every \(period)" }
        return text
    }
}
