// SPDX-License-Identifier: MIT

/// Connects to a device. LE Connection Complete reports the result. On Linux only the kernel sends it; it is decoded
/// for traces.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.12
package struct LECreateConnection: HCICommand, FieldCoded {
    package static let opcode = HCIOpcode(.leController, 0x000D)
    package static let name = "LE Create Connection"
    package static let completion = HCICommandCompletion.commandStatus
    package static let supportBit: HCISupportBit? = HCISupportBit(26, 4)

    /// The time between the starts of two scan windows (LE_Scan_Interval).
    package var scanInterval: LEInterval<625>
    /// The duration of each scan window (LE_Scan_Window).
    package var scanWindow: LEInterval<625>
    /// Whether to connect to any device in the filter accept list; `peer` is then ignored (Initiator_Filter_Policy).
    package var usesAcceptList: Bool
    package var peer: DeviceAddress
    /// The type of the initiator's address (Own_Address_Type).
    package var ownAddressType: LEOwnAddressType
    package var parameters: LEConnectionParameters

    package init(
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

    init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        scanInterval = try fields(\.scanInterval, "LE_Scan_Interval")
        scanWindow = try fields(\.scanWindow, "LE_Scan_Window")
        usesAcceptList = try fields(\.usesAcceptList, "Initiator_Filter_Policy")
        peer = try fields(\.peer, "Peer_Address")
        ownAddressType = try fields(\.ownAddressType, "Own_Address_Type")
        parameters = try fields(\.parameters)
    }

    package var details: String { "\(usesAcceptList ? "accept list" : "\(peer)"), \(parameters)" }
}

/// Stops connecting. LE Connection Complete follows with Unknown Connection Identifier.
///
/// Without an attempt in progress, for instance because the connection was made meanwhile, the controller refuses with
/// Command Disallowed.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.13
package struct LECreateConnectionCancel: HCIParameterlessCommand {
    package static let opcode = HCIOpcode(.leController, 0x000E)
    package static let name = "LE Create Connection Cancel"
    package static let supportBit: HCISupportBit? = HCISupportBit(26, 5)

    package init() {}
}
