// SPDX-License-Identifier: MIT

/// Connects to a device on any PHY. LE Enhanced Connection Complete reports the result. On Linux only the
/// kernel sends it; it is decoded for traces.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.66
package struct LEExtendedCreateConnection: HCICommand {
    package static let opcode = HCIOpcode(.leController, 0x0043)
    package static let name = "LE Extended Create Connection"
    package static let completion = HCICommandCompletion.commandStatus
    package static let supportBit: HCISupportBit? = HCISupportBit(37, 7)

    /// The parameters for connecting on one PHY.
    package struct Initiation: Hashable, Sendable {
        /// The time between the starts of two scan windows (Scan_Interval[i]).
        package var scanInterval: LEInterval<625>
        /// The duration of each scan window (Scan_Window[i]).
        package var scanWindow: LEInterval<625>
        package var parameters: LEConnectionParameters

        package init(
            scanInterval: LEInterval<625>,
            scanWindow: LEInterval<625>,
            parameters: LEConnectionParameters
        ) {
            self.scanInterval = scanInterval
            self.scanWindow = scanWindow
            self.parameters = parameters
        }
    }

    /// Whether to connect to any device in the filter accept list; `peer` is then ignored (Initiator_Filter_Policy).
    package var usesAcceptList: Bool
    /// The type of the initiator's address (Own_Address_Type).
    package var ownAddressType: LEOwnAddressType
    package var peer: DeviceAddress
    /// The parameters for LE 1M; `nil` if that PHY is not used.
    package var le1M: Initiation?
    /// The parameters for LE 2M; `nil` if that PHY is not used.
    package var le2M: Initiation?
    /// The parameters for LE Coded; `nil` if that PHY is not used.
    package var coded: Initiation?

    package init(
        usesAcceptList: Bool = false,
        ownAddressType: LEOwnAddressType = .public,
        peer: DeviceAddress,
        le1M: Initiation?,
        le2M: Initiation? = nil,
        coded: Initiation? = nil
    ) {
        self.usesAcceptList = usesAcceptList
        self.ownAddressType = ownAddressType
        self.peer = peer
        self.le1M = le1M
        self.le2M = le2M
        self.coded = coded
    }

    /// The PHYs as the command's bits (Initiating_PHYs).
    package var phys: LEPHYSet {
        var phys: LEPHYSet = []
        if le1M != nil { phys.insert(.le1M) }
        if le2M != nil { phys.insert(.le2M) }
        if coded != nil { phys.insert(.coded) }
        return phys
    }

    package init(from reader: inout ByteReader) throws(DecodeError) {
        usesAcceptList = try reader.flag("Initiator_Filter_Policy")
        ownAddressType = try reader.value("Own_Address_Type")
        peer = try reader.deviceAddress("Peer_Address")
        let bits = try reader.uint8("Initiating_PHYs")
        let phys = LEPHYSet(rawValue: bits)
        // Each bit adds fields to the command, so the fields of an unknown PHY would be taken for those of another one.
        guard phys.isSubset(of: [.le1M, .le2M, .coded]) else {
            throw DecodeError("Initiating_PHYs", .invalid(value: UInt64(bits)))
        }
        le1M = phys.contains(.le1M) ? try Initiation(from: &reader) : nil
        le2M = phys.contains(.le2M) ? try Initiation(from: &reader) : nil
        coded = phys.contains(.coded) ? try Initiation(from: &reader) : nil
    }

    package func encode(into writer: inout ByteWriter) {
        writer.flag(usesAcceptList)
        writer.uint8(ownAddressType.rawValue)
        writer.deviceAddress(peer)
        writer.uint8(phys.rawValue)
        for initiation in [le1M, le2M, coded] {
            if let initiation { writer.append(initiation) }
        }
    }

    package var details: String {
        let wanted = le1M ?? le2M ?? coded
        let parameters = wanted.map { ", \($0.parameters)" } ?? ""
        return "\(usesAcceptList ? "accept list" : "\(peer)"), PHYs \(phys)\(parameters)"
    }
}

extension LEExtendedCreateConnection.Initiation: FieldCoded {
    init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        scanInterval = try fields(\.scanInterval, "Scan_Interval")
        scanWindow = try fields(\.scanWindow, "Scan_Window")
        parameters = try fields(\.parameters)
    }
}
