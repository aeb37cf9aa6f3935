// SPDX-License-Identifier: MIT

/// Connects to a device. LE Connection Complete reports the result. On Linux only the kernel sends it; it is decoded
/// for traces.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.12
public struct LECreateConnection: HCICommand {
    public typealias ReturnParameters = HCINoReturnParameters

    public static let opcode = HCIOpcode(.leController, 0x000D)
    public static let name = "LE Create Connection"
    public static let completion = HCICommandCompletion.commandStatus
    public static let supportBit: HCISupportBit? = HCISupportBit(26, 4)

    /// The time between the starts of two scan windows (LE_Scan_Interval).
    public var scanInterval: LEInterval<625>
    /// The duration of each scan window (LE_Scan_Window).
    public var scanWindow: LEInterval<625>
    /// Whether to connect to any device in the filter accept list; `peer` is then ignored (Initiator_Filter_Policy).
    public var usesAcceptList: Bool
    /// The device (Peer_Address_Type, Peer_Address).
    public var peer: DeviceAddress
    /// The type of the initiator's address (Own_Address_Type).
    public var ownAddressType: LEOwnAddressType
    /// The parameters of the connection.
    public var parameters: LEConnectionParameters

    /// Creates the command.
    public init(
        scanInterval: LEInterval<625>,
        scanWindow: LEInterval<625>,
        usesAcceptList: Bool = false,
        peer: DeviceAddress,
        ownAddressType: LEOwnAddressType = .public,
        parameters: LEConnectionParameters
    ) {
        self.scanInterval = scanInterval
        self.scanWindow = scanWindow
        self.usesAcceptList = usesAcceptList
        self.peer = peer
        self.ownAddressType = ownAddressType
        self.parameters = parameters
    }

    public init(from reader: inout ByteReader) throws(DecodeError) {
        scanInterval = try LEInterval(from: &reader, "LE_Scan_Interval")
        scanWindow = try LEInterval(from: &reader, "LE_Scan_Window")
        usesAcceptList = try reader.flag("Initiator_Filter_Policy")
        peer = try reader.deviceAddress("Peer_Address")
        ownAddressType = try reader.value("Own_Address_Type")
        parameters = try LEConnectionParameters(from: &reader)
    }

    public func encode(into writer: inout ByteWriter) {
        writer.append(scanInterval)
        writer.append(scanWindow)
        writer.flag(usesAcceptList)
        writer.deviceAddress(peer)
        writer.uint8(ownAddressType.rawValue)
        writer.append(parameters)
    }

    public var details: String { "\(usesAcceptList ? "accept list" : "\(peer)"), \(parameters)" }
}

/// Stops connecting. LE Connection Complete follows with Unknown Connection Identifier.
///
/// Without an attempt in progress, for instance because the connection was made meanwhile, the controller refuses with
/// Command Disallowed.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.13
public struct LECreateConnectionCancel: HCIParameterlessCommand {
    public typealias ReturnParameters = HCINoReturnParameters

    public static let opcode = HCIOpcode(.leController, 0x000E)
    public static let name = "LE Create Connection Cancel"
    public static let completion = HCICommandCompletion.commandComplete
    public static let supportBit: HCISupportBit? = HCISupportBit(26, 5)

    /// Creates the command.
    public init() {}
}
