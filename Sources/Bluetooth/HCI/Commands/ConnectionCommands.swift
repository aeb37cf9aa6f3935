// SPDX-License-Identifier: MIT

/// The central's requirements for a connection, which several commands share.
///
/// The supervision timeout must be longer than 2 × (1 + latency) × the largest interval. Otherwise a peripheral that
/// skips events as agreed could be taken for lost.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.12
package struct LEConnectionParameters: Hashable, Sendable {
    /// The smallest interval: 0x0006…0x0C80 (Connection_Interval_Min).
    package var minimumInterval: LEInterval<1250>
    /// The largest interval: 0x0006…0x0C80 (Connection_Interval_Max).
    package var maximumInterval: LEInterval<1250>
    /// The number of connection events that the peripheral may skip: 0…499 (Max_Latency).
    package var latency: UInt16
    /// The time without packets after which the connection counts as lost: 0x000A…0x0C80 (Supervision_Timeout).
    package var supervisionTimeout: LEInterval<10_000>
    package var minimumEventLength: LEInterval<625>
    package var maximumEventLength: LEInterval<625>

    /// Creates parameters; by default the peripheral skips no event, and event lengths are unspecified.
    package init(
        minimumInterval: LEInterval<1250>,
        maximumInterval: LEInterval<1250>,
        latency: UInt16 = 0,
        supervisionTimeout: LEInterval<10_000>,
        minimumEventLength: LEInterval<625> = .init(rawValue: 0),
        maximumEventLength: LEInterval<625> = .init(rawValue: 0)
    ) {
        self.minimumInterval = minimumInterval
        self.maximumInterval = maximumInterval
        self.latency = latency
        self.supervisionTimeout = supervisionTimeout
        self.minimumEventLength = minimumEventLength
        self.maximumEventLength = maximumEventLength
    }
}

extension LEConnectionParameters: FieldCoded, CustomStringConvertible {
    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        minimumInterval = try fields(\.minimumInterval, "Connection_Interval_Min")
        maximumInterval = try fields(\.maximumInterval, "Connection_Interval_Max")
        latency = try fields(\.latency, "Max_Latency")
        supervisionTimeout = try fields(\.supervisionTimeout, "Supervision_Timeout")
        minimumEventLength = try fields(\.minimumEventLength, "Min_CE_Length")
        maximumEventLength = try fields(\.maximumEventLength, "Max_CE_Length")
    }

    /// `interval 30 ms to 50 ms, latency 0, timeout 420 ms`
    package var description: String {
        "interval \(minimumInterval) to \(maximumInterval), latency \(latency), timeout \(supervisionTimeout)"
    }
}

/// Connects to a device. LE Connection Complete reports the result. On Linux only the kernel sends it; it is decoded
/// for traces.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.12
package struct LECreateConnection: HCICommand, FieldCoded {
    package static let form = HCIForm(.leController, 0x000D, "LE Create Connection", .commandStatus, bit: (26, 4))

    /// The time between the starts of two scan windows (LE_Scan_Interval).
    package var scanInterval: LEInterval<625>
    package var scanWindow: LEInterval<625>
    /// Whether to connect to any device in the filter accept list; `peer` is then ignored (Initiator_Filter_Policy).
    package var usesAcceptList: Bool
    package var peer: DeviceAddress
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

    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
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
    package static let form = HCIForm(.leController, 0x000E, "LE Create Connection Cancel", bit: (26, 5))

    package init() {}
}

/// Connects to a device on any PHY. LE Enhanced Connection Complete reports the result. On Linux only the
/// kernel sends it; it is decoded for traces.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.66
package struct LEExtendedCreateConnection: HCICommand, FieldCoded {
    package static let form = HCIForm(
        .leController,
        0x0043,
        "LE Extended Create Connection",
        .commandStatus,
        bit: (37, 7)
    )

    package struct Initiation: Hashable, Sendable {
        /// The time between the starts of two scan windows (Scan_Interval[i]).
        package var scanInterval: LEInterval<625>
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

    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        usesAcceptList = try fields(\.usesAcceptList, "Initiator_Filter_Policy")
        ownAddressType = try fields(\.ownAddressType, "Own_Address_Type")
        peer = try fields(\.peer, "Peer_Address")
        let phys = try fields(\.phys, "Initiating_PHYs")
        // Each bit adds fields to the command, so the fields of an unknown PHY would be taken for those of another one.
        guard phys.isSubset(of: [.le1M, .le2M, .coded]) else {
            throw DecodeError("Initiating_PHYs", .invalid(value: UInt64(phys.rawValue)))
        }
        le1M = try fields(\.le1M, if: phys.contains(.le1M))
        le2M = try fields(\.le2M, if: phys.contains(.le2M))
        coded = try fields(\.coded, if: phys.contains(.coded))
    }

    package var details: String {
        let wanted = le1M ?? le2M ?? coded
        let parameters = wanted.map { ", \($0.parameters)" } ?? ""
        return "\(usesAcceptList ? "accept list" : "\(peer)"), PHYs \(phys)\(parameters)"
    }
}

extension LEExtendedCreateConnection.Initiation: FieldCoded {
    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        scanInterval = try fields(\.scanInterval, "Scan_Interval")
        scanWindow = try fields(\.scanWindow, "Scan_Window")
        parameters = try fields(\.parameters)
    }
}

/// Changes the parameters of a connection. LE Connection Update Complete reports the result.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.18
package struct LEConnectionUpdate: HCICommand, FieldCoded {
    package static let form = HCIForm(.leController, 0x0013, "LE Connection Update", .commandStatus, bit: (27, 2))

    package var connection: ConnectionHandle
    package var parameters: LEConnectionParameters

    package init(_ connection: ConnectionHandle, _ parameters: LEConnectionParameters) {
        self.connection = connection
        self.parameters = parameters
    }

    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        connection = try fields(\.connection)
        parameters = try fields(\.parameters)
    }

    package var details: String { "connection \(connection), \(parameters)" }
}

/// Grants the parameters that the peer has requested.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.31
package struct LERemoteConnectionParameterRequestReply: HCICommand, FieldCoded {
    package typealias ReturnParameters = LEConnectionReturnParameters

    package static let form = HCIForm(
        .leController,
        0x0020,
        "LE Remote Connection Parameter Request Reply",
        bit: (33, 4)
    )

    package var connection: ConnectionHandle
    package var parameters: LEConnectionParameters

    package init(_ connection: ConnectionHandle, _ parameters: LEConnectionParameters) {
        self.connection = connection
        self.parameters = parameters
    }

    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        connection = try fields(\.connection)
        parameters = try fields(\.parameters)
    }

    package var details: String { "connection \(connection), \(parameters)" }
}

/// Refuses the parameters that the peer has requested.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.32
package struct LERemoteConnectionParameterRequestNegativeReply: HCICommand, FieldCoded {
    package typealias ReturnParameters = LEConnectionReturnParameters

    package static let form = HCIForm(
        .leController,
        0x0021,
        "LE Remote Connection Parameter Request Negative Reply",
        bit: (33, 5)
    )

    package var connection: ConnectionHandle
    package var reason: HCIStatus

    package init(_ connection: ConnectionHandle, reason: HCIStatus = .unacceptableConnectionParameters) {
        self.connection = connection
        self.reason = reason
    }

    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        connection = try fields(\.connection)
        reason = try fields(\.reason, "Reason")
    }

    package var details: String { "connection \(connection), \(reason)" }
}

/// The return parameters of a command that returns the connection only.
package struct LEConnectionReturnParameters: HCIReturnParameters, ConnectionCoded {
    package var connection: ConnectionHandle

    package init(_ connection: ConnectionHandle) { self.connection = connection }
}

/// Ends a connection. Disconnection Complete reports the end.
///
/// Only some reasons are allowed: 0x05, 0x13 to 0x15, 0x1A, 0x29 and 0x3B. A controller refuses others.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.1.6
package struct HCIDisconnect: HCICommand, FieldCoded {
    package static let form = HCIForm(.linkControl, 0x0006, "Disconnect", .commandStatus, bit: (0, 5))

    package var connection: ConnectionHandle
    package var reason: HCIStatus

    package init(_ connection: ConnectionHandle, reason: HCIStatus = .remoteUserTerminatedConnection) {
        self.connection = connection
        self.reason = reason
    }

    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        connection = try fields(\.connection)
        reason = try fields(\.reason, "Reason")
    }

    package var details: String { "connection \(connection), \(reason)" }
}
