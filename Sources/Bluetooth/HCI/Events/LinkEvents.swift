// SPDX-License-Identifier: MIT

/// The peer has reported the version of its controller.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7.12
package struct ReadRemoteVersionInformationCompleteEvent: HCIEventParameters, FieldCoded {
    package static let form = HCIEventForm(
        .readRemoteVersionInformationComplete,
        "Read Remote Version Information Complete"
    )

    /// Success, or the reason of the failure; the other fields are then meaningless (Status).
    package var status: HCIStatus
    package var connection: ConnectionHandle
    /// The version of the link layer (Version).
    package var version: BluetoothVersion
    /// The manufacturer's company identifier (Company_Identifier).
    package var company: UInt16
    /// The manufacturer's revision (Subversion).
    package var subversion: UInt16

    package init(
        status: HCIStatus = .success,
        _ connection: ConnectionHandle,
        version: BluetoothVersion,
        company: UInt16,
        subversion: UInt16
    ) {
        self.status = status
        self.connection = connection
        self.version = version
        self.company = company
        self.subversion = subversion
    }

    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        status = try fields(\.status)
        connection = try fields(\.connection)
        version = try fields(\.version, "Version")
        company = try fields(\.company, "Company_Identifier")
        subversion = try fields(\.subversion, "Subversion")
    }

    package var details: String {
        guard status == .success else { return "connection \(connection): \(status)" }
        return "connection \(connection), \(version), company 0x\(Hex.string(company, minimumDigits: 4))"
    }
}

/// The peer has reported its LE features.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7.65.4
package struct LEReadRemoteFeaturesCompleteEvent: HCIEventParameters, FieldCoded {
    package static let form = HCIEventForm(le: 0x04, "LE Read Remote Features Complete")

    /// Success, or the reason of the failure (Status).
    package var status: HCIStatus
    package var connection: ConnectionHandle
    package var features: LEFeatures

    package init(status: HCIStatus = .success, _ connection: ConnectionHandle, features: LEFeatures) {
        self.status = status
        self.connection = connection
        self.features = features
    }

    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        status = try fields(\.status)
        connection = try fields(\.connection)
        features = try fields(\.features)
    }

    package var details: String {
        status == .success ? "connection \(connection), \(features)" : "connection \(connection): \(status)"
    }
}

/// The packet limits of a connection have changed.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7.65.7
package struct LEDataLengthChangeEvent: HCIEventParameters, FieldCoded {
    package static let form = HCIEventForm(le: 0x07, "LE Data Length Change")

    package var connection: ConnectionHandle
    /// The limits for sending (Max_TX_Octets, Max_TX_Time).
    package var transmit: LEDataLength
    /// The limits for receiving (Max_RX_Octets, Max_RX_Time).
    package var receive: LEDataLength

    package init(_ connection: ConnectionHandle, transmit: LEDataLength, receive: LEDataLength) {
        self.connection = connection
        self.transmit = transmit
        self.receive = receive
    }

    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        connection = try fields(\.connection)
        transmit = try fields(\.transmit)
        receive = try fields(\.receive)
    }

    package var details: String { "connection \(connection), transmit \(transmit), receive \(receive)" }
}

/// The PHY of a connection has changed, or the attempt has failed.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7.65.12
package struct LEPHYUpdateCompleteEvent: HCIEventParameters, FieldCoded {
    package static let form = HCIEventForm(le: 0x0C, "LE PHY Update Complete")

    /// Success, or the reason of the failure (Status).
    package var status: HCIStatus
    package var connection: ConnectionHandle
    /// The PHY for sending (TX_PHY).
    package var transmit: LEPHY
    /// The PHY for receiving (RX_PHY).
    package var receive: LEPHY

    package init(status: HCIStatus = .success, _ connection: ConnectionHandle, transmit: LEPHY, receive: LEPHY) {
        self.status = status
        self.connection = connection
        self.transmit = transmit
        self.receive = receive
    }

    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        status = try fields(\.status)
        connection = try fields(\.connection)
        transmit = try fields(\.transmit)
        receive = try fields(\.receive)
    }

    package var details: String {
        guard status == .success else { return "connection \(connection): \(status)" }
        return "connection \(connection), transmit \(transmit), receive \(receive)"
    }
}

/// The channel selection algorithm of a connection.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7.65.20
package struct LEChannelSelectionAlgorithmEvent: HCIEventParameters, FieldCoded {
    package static let form = HCIEventForm(le: 0x14, "LE Channel Selection Algorithm")

    package var connection: ConnectionHandle
    /// 0x00 for algorithm #1, 0x01 for #2 (Channel_Selection_Algorithm).
    package var algorithm: UInt8

    package init(_ connection: ConnectionHandle, algorithm: UInt8) {
        self.connection = connection
        self.algorithm = algorithm
    }

    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        connection = try fields(\.connection)
        algorithm = try fields(\.algorithm, "Channel_Selection_Algorithm")
    }

    package var details: String { "connection \(connection), #\(Int(algorithm) + 1)" }
}

/// The subrate factor of a connection has changed, or the attempt has failed.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7.65.35
package struct LESubrateChangeEvent: HCIEventParameters, FieldCoded {
    package static let form = HCIEventForm(le: 0x23, "LE Subrate Change")

    package var status: HCIStatus
    package var connection: ConnectionHandle
    /// One of so many connection events is used (Subrate_Factor).
    package var factor: UInt16
    package var latency: UInt16
    /// The number of further events that are used after one with data (Continuation_Number).
    package var continuationNumber: UInt16
    package var supervisionTimeout: LEInterval<10_000>

    package init(
        status: HCIStatus = .success,
        _ connection: ConnectionHandle,
        factor: UInt16,
        latency: UInt16,
        continuationNumber: UInt16,
        supervisionTimeout: LEInterval<10_000>
    ) {
        self.status = status
        self.connection = connection
        self.factor = factor
        self.latency = latency
        self.continuationNumber = continuationNumber
        self.supervisionTimeout = supervisionTimeout
    }

    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        status = try fields(\.status)
        connection = try fields(\.connection)
        factor = try fields(\.factor, "Subrate_Factor")
        latency = try fields(\.latency, "Peripheral_Latency")
        continuationNumber = try fields(\.continuationNumber, "Continuation_Number")
        supervisionTimeout = try fields(\.supervisionTimeout)
    }

    package var details: String {
        status == .success
            ? "connection \(connection), factor \(factor), latency \(latency)" : "connection \(connection): \(status)"
    }
}
