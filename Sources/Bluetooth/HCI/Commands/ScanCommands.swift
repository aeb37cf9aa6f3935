// SPDX-License-Identifier: MIT

/// Whether a scanner requests scan responses.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.10 (LE_Scan_Type)
package enum LEScanType: UInt8, Hashable, Sendable {
    /// The scanner only listens.
    case passive = 0x00
    /// The scanner requests the scan responses of scannable advertisers.
    case active = 0x01
}

/// The address that the controller uses for itself.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.10 (Own_Address_Type)
package enum LEOwnAddressType: UInt8, Hashable, Sendable, CustomStringConvertible {
    case `public` = 0x00
    /// The random address that was set.
    case random = 0x01
    /// A resolvable private address from the resolving list, or the public address if there is none.
    case resolvableOrPublic = 0x02
    /// A resolvable private address from the resolving list, or the random address that was set if there is none.
    case resolvableOrRandom = 0x03

    package var description: String {
        switch self {
        case .public: "public"
        case .random: "random"
        case .resolvableOrPublic: "resolvable or public"
        case .resolvableOrRandom: "resolvable or random"
        }
    }
}

/// The advertisements that a scanner reports.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.10 (Scanning_Filter_Policy)
package enum LEScanFilterPolicy: UInt8, Hashable, Sendable, CustomStringConvertible {
    /// All except those directed at another device.
    case all = 0x00
    case acceptList = 0x01
    /// As `all`, and those directed at a resolvable private address that could not be resolved.
    case allAndUnresolvedDirected = 0x02
    /// As `acceptList`, and those directed at a resolvable private address that could not be resolved.
    case acceptListAndUnresolvedDirected = 0x03

    package var description: String {
        switch self {
        case .all: "all"
        case .acceptList: "accept list"
        case .allAndUnresolvedDirected: "all and unresolved directed"
        case .acceptListAndUnresolvedDirected: "accept list and unresolved directed"
        }
    }
}

/// Sets the parameters of a legacy scan.
///
/// A controller refuses it with Command Disallowed during a scan, so a running scan has to be stopped first. It also
/// refuses it after a command for extended scans or advertising, because a host must not mix the two until a reset.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.10
package struct LESetScanParameters: HCICommand, FieldCoded {
    package static let form = HCIForm(.leController, 0x000B, "LE Set Scan Parameters", bit: (26, 2))

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

    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
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

/// Starts and stops a legacy scan.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.11
package struct LESetScanEnable: HCICommand, FieldCoded {
    package static let form = HCIForm(.leController, 0x000C, "LE Set Scan Enable", bit: (26, 3))

    package var isEnabled: Bool
    /// Whether the controller drops duplicates (Filter_Duplicates). Its table is limited, so that some may be reported
    /// nevertheless.
    package var filtersDuplicates: Bool

    package init(isEnabled: Bool, filtersDuplicates: Bool = false) {
        self.isEnabled = isEnabled
        self.filtersDuplicates = filtersDuplicates
    }

    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        isEnabled = try fields(\.isEnabled, "LE_Scan_Enable")
        filtersDuplicates = try fields(\.filtersDuplicates, "Filter_Duplicates")
    }

    package var details: String {
        guard isEnabled else { return "off" }
        return filtersDuplicates ? "on, duplicates filtered" : "on"
    }
}

/// Sets the parameters of an extended scan for each primary PHY.
///
/// A controller refuses it with Command Disallowed during a scan, so a running scan has to be stopped first. It also
/// refuses it after a command for legacy scans or advertising, because a host must not mix the two until a reset.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.64
package struct LESetExtendedScanParameters: HCICommand, FieldCoded {
    package static let form = HCIForm(.leController, 0x0041, "LE Set Extended Scan Parameters", bit: (37, 5))

    package struct Scan: Hashable, Sendable {
        /// Active or passive (Scan_Type[i]).
        package var type: LEScanType
        /// The time between the starts of two scan windows: 0x0004…0xFFFF (Scan_Interval[i]).
        package var interval: LEInterval<625>
        /// The duration of each scan window, at most the interval (Scan_Window[i]).
        package var window: LEInterval<625>

        package init(type: LEScanType, interval: LEInterval<625>, window: LEInterval<625>) {
            self.type = type
            self.interval = interval
            self.window = window
        }
    }

    /// The address in scan requests (Own_Address_Type).
    package var ownAddressType: LEOwnAddressType
    /// The advertisements to report (Scanning_Filter_Policy).
    package var filterPolicy: LEScanFilterPolicy
    /// The parameters for LE 1M; `nil` if that PHY is not scanned.
    package var le1M: Scan?
    /// The parameters for LE Coded; `nil` if that PHY is not scanned.
    package var coded: Scan?

    package init(
        ownAddressType: LEOwnAddressType = .public,
        filterPolicy: LEScanFilterPolicy = .all,
        le1M: Scan?,
        coded: Scan? = nil
    ) {
        self.ownAddressType = ownAddressType
        self.filterPolicy = filterPolicy
        self.le1M = le1M
        self.coded = coded
    }

    /// The PHYs as the command's bits (Scanning_PHYs).
    package var phys: LEPHYSet {
        var phys: LEPHYSet = []
        if le1M != nil { phys.insert(.le1M) }
        if coded != nil { phys.insert(.coded) }
        return phys
    }

    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        ownAddressType = try fields(\.ownAddressType, "Own_Address_Type")
        filterPolicy = try fields(\.filterPolicy, "Scanning_Filter_Policy")
        let phys = try fields(\.phys, "Scanning_PHYs")
        // Each bit adds fields to the command, so the fields of an unknown PHY would be taken for those of another one.
        guard phys.isSubset(of: [.le1M, .coded]) else {
            throw DecodeError("Scanning_PHYs", .invalid(value: UInt64(phys.rawValue)))
        }
        le1M = try fields(\.le1M, if: phys.contains(.le1M))
        coded = try fields(\.coded, if: phys.contains(.coded))
    }

    package var details: String {
        var parts = ["own address \(ownAddressType)", "filter \(filterPolicy)"]
        if let le1M { parts.append("1M \(le1M.details)") }
        if let coded { parts.append("coded \(coded.details)") }
        return parts.joined(separator: ", ")
    }
}

extension LESetExtendedScanParameters.Scan: FieldCoded {
    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        type = try fields(\.type, "Scan_Type")
        interval = try fields(\.interval, "Scan_Interval")
        window = try fields(\.window, "Scan_Window")
    }

    var details: String { "\(type), window \(window) of \(interval)" }
}

/// Starts and stops an extended scan.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.65
package struct LESetExtendedScanEnable: HCICommand, FieldCoded {
    package static let form = HCIForm(.leController, 0x0042, "LE Set Extended Scan Enable", bit: (37, 6))

    /// Whether the controller drops duplicates. Its table is limited, so that some may be reported nevertheless.
    package enum DuplicateFilter: UInt8, Hashable, Sendable, CustomStringConvertible {
        /// All advertisements are reported.
        case off = 0x00
        /// Each advertiser is reported once.
        case on = 0x01
        /// Each advertiser is reported once in every scan period.
        case resetEachPeriod = 0x02

        package var description: String {
            switch self {
            case .off: "off"
            case .on: "on"
            case .resetEachPeriod: "reset each period"
            }
        }
    }

    package var isEnabled: Bool
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

    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
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
