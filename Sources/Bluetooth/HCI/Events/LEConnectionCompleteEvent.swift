// SPDX-License-Identifier: MIT

/// The role of a host in a connection.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7.65.1 (Role)
public enum LERole: UInt8, Hashable, Sendable {
    /// The host has made the connection.
    case central = 0x00
    /// The peer has made the connection.
    case peripheral = 0x01

    /// Decodes the role. Without a connection the octet may have any value, because it means nothing.
    fileprivate init(from reader: inout ByteReader, _ status: HCIStatus) throws(DecodeError) {
        let octet = try reader.uint8("Role")
        guard let role = LERole(rawValue: octet) ?? (status == .success ? nil : .central) else {
            throw DecodeError("Role", .invalid(value: UInt64(octet)))
        }
        self = role
    }
}

/// A connection was made, or the attempt has failed.
///
/// A controller sends LE Enhanced Connection Complete instead if the host has unmasked that event.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7.65.1
public struct LEConnectionCompleteEvent: LEEventParameters {
    public static let subevent = LESubeventCode.connectionComplete
    public static let name = "LE Connection Complete"

    /// Success, or the reason of the failure; the other fields are then meaningless (Status).
    public var status: HCIStatus
    /// The connection (Connection_Handle).
    public var connection: ConnectionHandle
    /// The role of this host (Role).
    public var role: LERole
    /// The device at the other end (Peer_Address_Type, Peer_Address).
    public var peer: DeviceAddress
    /// The interval (Connection_Interval).
    public var interval: LEInterval<1250>
    /// The number of connection events that the peripheral may skip (Peripheral_Latency).
    public var latency: UInt16
    /// The time without packets after which the connection counts as lost (Supervision_Timeout).
    public var supervisionTimeout: LEInterval<10_000>
    /// The accuracy of the central's clock: from 0 for 500 ppm to 7 for 20 ppm (Central_Clock_Accuracy).
    public var centralClockAccuracy: UInt8

    /// Creates the event.
    public init(
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

    public init(from reader: inout ByteReader) throws(DecodeError) {
        status = try HCIStatus(from: &reader)
        connection = try ConnectionHandle(from: &reader)
        role = try LERole(from: &reader, status)
        peer = try reader.deviceAddress("Peer_Address")
        interval = try LEInterval(from: &reader, "Connection_Interval")
        latency = try reader.uint16("Peripheral_Latency")
        supervisionTimeout = try LEInterval(from: &reader, "Supervision_Timeout")
        centralClockAccuracy = try reader.uint8("Central_Clock_Accuracy")
    }

    public func encode(into writer: inout ByteWriter) {
        writer.append(status)
        writer.append(connection)
        writer.uint8(role.rawValue)
        writer.deviceAddress(peer)
        writer.append(interval)
        writer.uint16(latency)
        writer.append(supervisionTimeout)
        writer.uint8(centralClockAccuracy)
    }

    public var details: String {
        guard status == .success else { return "\(peer): \(status)" }
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
public struct LEEnhancedConnectionCompleteEvent: LEEventParameters {
    public static let subevent = LESubeventCode.enhancedConnectionComplete
    public static let name = "LE Enhanced Connection Complete"

    /// The fields of LE Connection Complete.
    public var connection: LEConnectionCompleteEvent
    /// This host's resolvable private address; all zeros if none is in use (Local_Resolvable_Private_Address).
    public var localResolvableAddress: BluetoothAddress
    /// The peer's resolvable private address; all zeros if none is in use (Peer_Resolvable_Private_Address).
    public var peerResolvableAddress: BluetoothAddress

    /// Creates the event.
    public init(
        _ connection: LEConnectionCompleteEvent,
        localResolvableAddress: BluetoothAddress = BluetoothAddress(rawValue: 0),
        peerResolvableAddress: BluetoothAddress = BluetoothAddress(rawValue: 0)
    ) {
        self.connection = connection
        self.localResolvableAddress = localResolvableAddress
        self.peerResolvableAddress = peerResolvableAddress
    }

    public init(from reader: inout ByteReader) throws(DecodeError) {
        let status = try HCIStatus(from: &reader)
        let handle = try ConnectionHandle(from: &reader)
        let role = try LERole(from: &reader, status)
        let peer = try reader.deviceAddress("Peer_Address")
        localResolvableAddress = BluetoothAddress(rawValue: try reader.uint48("Local_Resolvable_Private_Address"))
        peerResolvableAddress = BluetoothAddress(rawValue: try reader.uint48("Peer_Resolvable_Private_Address"))
        connection = LEConnectionCompleteEvent(
            status: status,
            handle,
            role: role,
            peer: peer,
            interval: try LEInterval(from: &reader, "Connection_Interval"),
            latency: try reader.uint16("Peripheral_Latency"),
            supervisionTimeout: try LEInterval(from: &reader, "Supervision_Timeout"),
            centralClockAccuracy: try reader.uint8("Central_Clock_Accuracy")
        )
    }

    public func encode(into writer: inout ByteWriter) {
        writer.append(connection.status)
        writer.append(connection.connection)
        writer.uint8(connection.role.rawValue)
        writer.deviceAddress(connection.peer)
        writer.append(localResolvableAddress)
        writer.append(peerResolvableAddress)
        writer.append(connection.interval)
        writer.uint16(connection.latency)
        writer.append(connection.supervisionTimeout)
        writer.uint8(connection.centralClockAccuracy)
    }

    public var details: String { connection.details }
}
