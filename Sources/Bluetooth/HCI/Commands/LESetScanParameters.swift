// SPDX-License-Identifier: MIT

/// Sets the parameters of a legacy scan.
///
/// A controller refuses it with Command Disallowed during a scan, so a running scan has to be stopped first. It also
/// refuses it after a command for extended scans or advertising, because a host must not mix the two until a reset.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.10
public struct LESetScanParameters: HCICommand {
    public typealias ReturnParameters = HCINoReturnParameters

    public static let opcode = HCIOpcode(.leController, 0x000B)
    public static let name = "LE Set Scan Parameters"
    public static let completion = HCICommandCompletion.commandComplete
    public static let supportBit: HCISupportBit? = HCISupportBit(26, 2)

    /// Active or passive (LE_Scan_Type).
    public var type: LEScanType
    /// The time between the starts of two scan windows: 0x0004…0x4000 (LE_Scan_Interval).
    public var interval: LEInterval<625>
    /// The duration of each scan window, at most the interval (LE_Scan_Window).
    public var window: LEInterval<625>
    /// The address in scan requests (Own_Address_Type).
    public var ownAddressType: LEOwnAddressType
    /// The advertisements to report (Scanning_Filter_Policy).
    public var filterPolicy: LEScanFilterPolicy

    /// Creates the command.
    public init(
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

    public init(from reader: inout ByteReader) throws(DecodeError) {
        type = try reader.value("LE_Scan_Type")
        interval = try LEInterval(from: &reader, "LE_Scan_Interval")
        window = try LEInterval(from: &reader, "LE_Scan_Window")
        ownAddressType = try reader.value("Own_Address_Type")
        filterPolicy = try reader.value("Scanning_Filter_Policy")
    }

    public func encode(into writer: inout ByteWriter) {
        writer.uint8(type.rawValue)
        writer.append(interval)
        writer.append(window)
        writer.uint8(ownAddressType.rawValue)
        writer.uint8(filterPolicy.rawValue)
    }

    public var details: String {
        "\(type), window \(window) of \(interval), own address \(ownAddressType), filter \(filterPolicy)"
    }
}
