// SPDX-License-Identifier: MIT

/// Sets the parameters of an extended scan for each primary PHY.
///
/// A controller refuses it with Command Disallowed during a scan, so a running scan has to be stopped first. It also
/// refuses it after a command for legacy scans or advertising, because a host must not mix the two until a reset.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.64
package struct LESetExtendedScanParameters: HCICommand {
    package static let opcode = HCIOpcode(.leController, 0x0041)
    package static let name = "LE Set Extended Scan Parameters"
    package static let supportBit: HCISupportBit? = HCISupportBit(37, 5)

    /// The parameters for one PHY.
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

    package init(from reader: inout ByteReader) throws(DecodeError) {
        ownAddressType = try reader.value("Own_Address_Type")
        filterPolicy = try reader.value("Scanning_Filter_Policy")
        let bits = try reader.uint8("Scanning_PHYs")
        let phys = LEPHYSet(rawValue: bits)
        // Each bit adds fields to the command, so the fields of an unknown PHY would be taken for those of another one.
        guard phys.isSubset(of: [.le1M, .coded]) else {
            throw DecodeError("Scanning_PHYs", .invalid(value: UInt64(bits)))
        }
        le1M = phys.contains(.le1M) ? try Scan(from: &reader) : nil
        coded = phys.contains(.coded) ? try Scan(from: &reader) : nil
    }

    package func encode(into writer: inout ByteWriter) {
        writer.uint8(ownAddressType.rawValue)
        writer.uint8(filterPolicy.rawValue)
        writer.uint8(phys.rawValue)
        if let le1M { writer.append(le1M) }
        if let coded { writer.append(coded) }
    }

    package var details: String {
        var parts = ["own address \(ownAddressType)", "filter \(filterPolicy)"]
        if let le1M { parts.append("1M \(le1M.details)") }
        if let coded { parts.append("coded \(coded.details)") }
        return parts.joined(separator: ", ")
    }
}

extension LESetExtendedScanParameters.Scan: FieldCoded {
    init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        type = try fields(\.type, "Scan_Type")
        interval = try fields(\.interval, "Scan_Interval")
        window = try fields(\.window, "Scan_Window")
    }

    var details: String { "\(type), window \(window) of \(interval)" }
}
