// SPDX-License-Identifier: MIT

/// A connection was made, or the attempt has failed.
///
/// A controller sends LE Enhanced Connection Complete instead if the host has unmasked that event.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7.65.1
package struct LEConnectionCompleteEvent: HCIEventParameters, FieldCoded {
    package static let form = HCIEventForm(le: 0x01, "LE Connection Complete")

    /// Success, or the reason of the failure; the other fields are then meaningless (Status).
    package var status: HCIStatus
    package var connection: ConnectionHandle
    /// The role of this host (Role).
    package var role: LERole
    /// The device at the other end (Peer_Address_Type, Peer_Address).
    package var peer: DeviceAddress
    package var interval: LEInterval<1250>
    /// The number of connection events that the peripheral may skip (Peripheral_Latency).
    package var latency: UInt16
    /// The time without packets after which the connection counts as lost (Supervision_Timeout).
    package var supervisionTimeout: LEInterval<10_000>
    /// The accuracy of the central's clock: from 0 for 500 ppm to 7 for 20 ppm (Central_Clock_Accuracy).
    package var centralClockAccuracy: UInt8

    package init(
        status: HCIStatus = .success,
        _ connection: ConnectionHandle,
        role: LERole,
        peer: DeviceAddress,
        interval: LEInterval<1250>,
        latency: UInt16,
        supervisionTimeout: LEInterval<10_000>,
        centralClockAccuracy: UInt8 = 0
    ) {
        self.status = status
        self.connection = connection
        self.role = role
        self.peer = peer
        self.interval = interval
        self.latency = latency
        self.supervisionTimeout = supervisionTimeout
        self.centralClockAccuracy = centralClockAccuracy
    }

    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        status = try fields(\.status)
        connection = try fields(\.connection)
        role = try fields(\.role, status)
        peer = try fields(\.peer, "Peer_Address")
        interval = try fields(\.interval, "Connection_Interval")
        latency = try fields(\.latency, "Peripheral_Latency")
        supervisionTimeout = try fields(\.supervisionTimeout, "Supervision_Timeout")
        centralClockAccuracy = try fields(\.centralClockAccuracy, "Central_Clock_Accuracy")
    }

    package var details: String {
        // An attempt that was cancelled has no device.
        guard status == .success else { return peer.address.rawValue == 0 ? "\(status)" : "\(peer): \(status)" }
        // Captures have zeros, which no link can have, where the program did not learn the parameters.
        let isKnown = interval.rawValue != 0 || supervisionTimeout.rawValue != 0
        guard isKnown else { return "connection \(connection) to \(peer), \(role), parameters not known" }
        return "connection \(connection) to \(peer), \(role), interval \(interval), latency \(latency), "
            + "timeout \(supervisionTimeout)"
    }
}

/// A connection was made, or the attempt has failed. The event also contains the private addresses in use.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7.65.10
package struct LEEnhancedConnectionCompleteEvent: HCIEventParameters, FieldCoded {
    package static let form = HCIEventForm(le: 0x0A, "LE Enhanced Connection Complete")

    package var connection: LEConnectionCompleteEvent
    /// This host's resolvable private address; all zeros if none is in use (Local_Resolvable_Private_Address).
    package var localResolvableAddress: BluetoothAddress
    /// The peer's resolvable private address; all zeros if none is in use (Peer_Resolvable_Private_Address).
    package var peerResolvableAddress: BluetoothAddress

    package init(
        _ connection: LEConnectionCompleteEvent,
        localResolvableAddress: BluetoothAddress = BluetoothAddress(rawValue: 0),
        peerResolvableAddress: BluetoothAddress = BluetoothAddress(rawValue: 0)
    ) {
        self.connection = connection
        self.localResolvableAddress = localResolvableAddress
        self.peerResolvableAddress = peerResolvableAddress
    }

    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        let status = try fields(\.connection.status)
        let handle = try fields(\.connection.connection)
        let role = try fields(\.connection.role, status)
        let peer = try fields(\.connection.peer, "Peer_Address")
        localResolvableAddress = try fields(\.localResolvableAddress, "Local_Resolvable_Private_Address")
        peerResolvableAddress = try fields(\.peerResolvableAddress, "Peer_Resolvable_Private_Address")
        connection = LEConnectionCompleteEvent(
            status: status,
            handle,
            role: role,
            peer: peer,
            interval: try fields(\.connection.interval, "Connection_Interval"),
            latency: try fields(\.connection.latency, "Peripheral_Latency"),
            supervisionTimeout: try fields(\.connection.supervisionTimeout, "Supervision_Timeout"),
            centralClockAccuracy: try fields(\.connection.centralClockAccuracy, "Central_Clock_Accuracy")
        )
    }

    package var details: String { connection.details }
}

extension FieldCoder {
    /// The role. Without a connection the octet may have any value, because it means nothing.
    fileprivate mutating func callAsFunction(
        _ path: KeyPath<Packet, LERole>,
        _ status: HCIStatus
    ) throws(DecodeError) -> LERole {
        try self(
            path,
            read: { (reader) throws(DecodeError) in
                let octet = try reader.uint8("Role")
                guard let role = LERole(rawValue: octet) ?? (status == .success ? nil : .central) else {
                    throw DecodeError("Role", .invalid(value: UInt64(octet)))
                }
                return role
            },
            write: { $0.uint8($1.rawValue) }
        )
    }
}

/// The parameters of a connection have changed, or the attempt has failed.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7.65.3
package struct LEConnectionUpdateCompleteEvent: HCIEventParameters, FieldCoded {
    package static let form = HCIEventForm(le: 0x03, "LE Connection Update Complete")

    /// Success, or the reason why they did not change (Status).
    package var status: HCIStatus
    package var connection: ConnectionHandle
    package var interval: LEInterval<1250>
    /// The number of connection events that the peripheral may skip (Peripheral_Latency).
    package var latency: UInt16
    /// The time without packets after which the connection counts as lost (Supervision_Timeout).
    package var supervisionTimeout: LEInterval<10_000>

    package init(
        status: HCIStatus = .success,
        _ connection: ConnectionHandle,
        interval: LEInterval<1250>,
        latency: UInt16,
        supervisionTimeout: LEInterval<10_000>
    ) {
        self.status = status
        self.connection = connection
        self.interval = interval
        self.latency = latency
        self.supervisionTimeout = supervisionTimeout
    }

    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        status = try fields(\.status)
        connection = try fields(\.connection)
        interval = try fields(\.interval, "Connection_Interval")
        latency = try fields(\.latency, "Peripheral_Latency")
        supervisionTimeout = try fields(\.supervisionTimeout, "Supervision_Timeout")
    }

    package var details: String {
        guard status == .success else { return "connection \(connection): \(status)" }
        return "connection \(connection), interval \(interval), latency \(latency), timeout \(supervisionTimeout)"
    }
}

/// The peer requests other connection parameters.
///
/// The host must grant or refuse the request with a command, because the link layer waits for the decision.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7.65.6
package struct LERemoteConnectionParameterRequestEvent: HCIEventParameters, FieldCoded {
    package static let form = HCIEventForm(le: 0x06, "LE Remote Connection Parameter Request")

    package var connection: ConnectionHandle
    package var minimumInterval: LEInterval<1250>
    package var maximumInterval: LEInterval<1250>
    /// The number of connection events that the peripheral may skip (Max_Latency).
    package var latency: UInt16
    /// The time without packets after which the connection counts as lost (Timeout).
    package var supervisionTimeout: LEInterval<10_000>

    package init(
        _ connection: ConnectionHandle,
        minimumInterval: LEInterval<1250>,
        maximumInterval: LEInterval<1250>,
        latency: UInt16,
        supervisionTimeout: LEInterval<10_000>
    ) {
        self.connection = connection
        self.minimumInterval = minimumInterval
        self.maximumInterval = maximumInterval
        self.latency = latency
        self.supervisionTimeout = supervisionTimeout
    }

    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        connection = try fields(\.connection)
        minimumInterval = try fields(\.minimumInterval, "Interval_Min")
        maximumInterval = try fields(\.maximumInterval, "Interval_Max")
        latency = try fields(\.latency, "Max_Latency")
        supervisionTimeout = try fields(\.supervisionTimeout, "Timeout")
    }

    package var details: String {
        "connection \(connection), interval \(minimumInterval) to \(maximumInterval), latency \(latency), "
            + "timeout \(supervisionTimeout)"
    }
}

/// A connection has ended.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7.5
package struct DisconnectionCompleteEvent: HCIEventParameters, FieldCoded {
    package static let form = HCIEventForm(.disconnectionComplete, "Disconnection Complete")

    /// Success, or the reason why the connection could not be ended (Status).
    package var status: HCIStatus
    package var connection: ConnectionHandle
    package var reason: HCIStatus

    package init(status: HCIStatus = .success, _ connection: ConnectionHandle, reason: HCIStatus) {
        self.status = status
        self.connection = connection
        self.reason = reason
    }

    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        status = try fields(\.status)
        connection = try fields(\.connection)
        reason = try fields(\.reason, "Reason")
    }

    package var details: String {
        status == .success ? "connection \(connection), \(reason)" : "connection \(connection): \(status)"
    }
}
