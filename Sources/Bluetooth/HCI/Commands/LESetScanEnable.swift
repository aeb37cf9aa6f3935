// SPDX-License-Identifier: MIT

/// Starts and stops a legacy scan.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.11
public struct LESetScanEnable: HCICommand {
    public typealias ReturnParameters = HCINoReturnParameters

    public static let opcode = HCIOpcode(.leController, 0x000C)
    public static let name = "LE Set Scan Enable"
    public static let completion = HCICommandCompletion.commandComplete
    public static let supportBit: HCISupportBit? = HCISupportBit(26, 3)

    /// Whether to scan (LE_Scan_Enable).
    public var isEnabled: Bool
    /// Whether the controller drops duplicates (Filter_Duplicates). Its table is limited, so that some may be reported
    /// nevertheless.
    public var filtersDuplicates: Bool

    /// Creates the command.
    public init(isEnabled: Bool, filtersDuplicates: Bool = false) {
        self.isEnabled = isEnabled
        self.filtersDuplicates = filtersDuplicates
    }

    public init(from reader: inout ByteReader) throws(DecodeError) {
        isEnabled = try reader.flag("LE_Scan_Enable")
        filtersDuplicates = try reader.flag("Filter_Duplicates")
    }

    public func encode(into writer: inout ByteWriter) {
        writer.flag(isEnabled)
        writer.flag(filtersDuplicates)
    }

    public var details: String {
        guard isEnabled else { return "off" }
        return filtersDuplicates ? "on, duplicates filtered" : "on"
    }
}
