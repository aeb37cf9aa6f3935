// SPDX-License-Identifier: MIT

/// A controller error code, used in Status and Reason parameters. Unknown values are kept, so that a
/// later specification's code is shown with its number.
///
/// Spec: Core 5.4, Vol 1, Part F, 1.3
public struct HCIStatus: RawRepresentable, Hashable, Sendable {
    /// The octet on the wire.
    public let rawValue: UInt8

    /// Keeps any value, also an unknown one.
    public init(rawValue: UInt8) { self.rawValue = rawValue }
}

extension HCIStatus {
    /// 0x00: success.
    public static let success = Self(rawValue: 0x00)
    /// 0x01: the controller does not know the command.
    public static let unknownHCICommand = Self(rawValue: 0x01)
    /// 0x02: there is no connection with that handle.
    public static let unknownConnectionIdentifier = Self(rawValue: 0x02)
    /// 0x03: the controller's hardware failed.
    public static let hardwareFailure = Self(rawValue: 0x03)
    /// 0x05: pairing or authentication failed.
    public static let authenticationFailure = Self(rawValue: 0x05)
    /// 0x06: one side has no key.
    public static let pinOrKeyMissing = Self(rawValue: 0x06)
    /// 0x07: the controller has no memory left.
    public static let memoryCapacityExceeded = Self(rawValue: 0x07)
    /// 0x08: nothing was received from the peer during the supervision timeout.
    public static let connectionTimeout = Self(rawValue: 0x08)
    /// 0x09: the controller has no room for another connection.
    public static let connectionLimitExceeded = Self(rawValue: 0x09)
    /// 0x0B: there is a connection to that device already.
    public static let connectionAlreadyExists = Self(rawValue: 0x0B)
    /// 0x0C: the controller's state does not permit the command.
    public static let commandDisallowed = Self(rawValue: 0x0C)
    /// 0x0D: the device rejected the connection because it lacks resources.
    public static let connectionRejectedDueToLimitedResources = Self(rawValue: 0x0D)
    /// 0x11: the controller does not support the feature or the value.
    public static let unsupportedFeatureOrParameterValue = Self(rawValue: 0x11)
    /// 0x12: a parameter of the command is invalid.
    public static let invalidHCICommandParameters = Self(rawValue: 0x12)
    /// 0x13: the peer's user closed the connection.
    public static let remoteUserTerminatedConnection = Self(rawValue: 0x13)
    /// 0x14: the peer closed the connection because it lacks resources.
    public static let remoteDeviceTerminatedConnectionLowResources = Self(rawValue: 0x14)
    /// 0x15: the peer closed the connection because it is powering off.
    public static let remoteDeviceTerminatedConnectionPowerOff = Self(rawValue: 0x15)
    /// 0x16: this side closed the connection.
    public static let connectionTerminatedByLocalHost = Self(rawValue: 0x16)
    /// 0x1A: the peer does not support the feature.
    public static let unsupportedRemoteFeature = Self(rawValue: 0x1A)
    /// 0x1F: no other code describes the error.
    public static let unspecifiedError = Self(rawValue: 0x1F)
    /// 0x22: the peer's link layer did not answer in time.
    public static let linkLayerResponseTimeout = Self(rawValue: 0x22)
    /// 0x23: both sides have begun a procedure at the same time.
    public static let linkLayerProcedureCollision = Self(rawValue: 0x23)
    /// 0x28: the agreed moment of a change had passed already.
    public static let instantPassed = Self(rawValue: 0x28)
    /// 0x29: pairing with a unit key is not supported.
    public static let pairingWithUnitKeyNotSupported = Self(rawValue: 0x29)
    /// 0x2A: another procedure of the link is running.
    public static let differentTransactionCollision = Self(rawValue: 0x2A)
    /// 0x3A: the controller is busy.
    public static let controllerBusy = Self(rawValue: 0x3A)
    /// 0x3B: the connection parameters were not acceptable.
    public static let unacceptableConnectionParameters = Self(rawValue: 0x3B)
    /// 0x3C: the advertising has ended because its duration has passed.
    public static let advertisingTimeout = Self(rawValue: 0x3C)
    /// 0x3D: the integrity check of a packet failed because the two sides have different keys.
    public static let connectionTerminatedDueToMICFailure = Self(rawValue: 0x3D)
    /// 0x3E: connection failed to be established / synchronization timeout.
    public static let connectionFailedToBeEstablished = Self(rawValue: 0x3E)
    /// 0x42: there is no advertising set with that handle.
    public static let unknownAdvertisingIdentifier = Self(rawValue: 0x42)
    /// 0x43: the requested limit was reached.
    public static let limitReached = Self(rawValue: 0x43)
    /// 0x44: the operation was cancelled by this host.
    public static let operationCancelledByHost = Self(rawValue: 0x44)
    /// 0x45: the packet is too long to be sent.
    public static let packetTooLong = Self(rawValue: 0x45)
}

extension HCIStatus: CustomStringConvertible {
    /// The specification's name in lower case; `nil` for an unassigned code.
    public var name: String? {
        let index = Int(rawValue)
        guard index < Self.names.count, !Self.names[index].isEmpty else { return nil }
        return Self.names[index]
    }

    /// `connection failed to be established (0x3E)`; without the number for success.
    public var description: String {
        if self == .success { return "success" }
        return "\(name ?? "unknown status") (0x\(Hex.string(rawValue, minimumDigits: 2)))"
    }

    /// The name of each code at its own index; empty for an unassigned code.
    private static let names: [String] = [
        "success",
        "unknown HCI command",
        "unknown connection identifier",
        "hardware failure",
        "page timeout",
        "authentication failure",
        "PIN or key missing",
        "memory capacity exceeded",
        "connection timeout",
        "connection limit exceeded",
        "synchronous connection limit to a device exceeded",
        "connection already exists",
        "command disallowed",
        "connection rejected due to limited resources",
        "connection rejected due to security reasons",
        "connection rejected due to unacceptable BD_ADDR",
        "connection accept timeout exceeded",
        "unsupported feature or parameter value",
        "invalid HCI command parameters",
        "remote user terminated connection",
        "remote device terminated connection due to low resources",
        "remote device terminated connection due to power off",
        "connection terminated by local host",
        "repeated attempts",
        "pairing not allowed",
        "unknown LMP PDU",
        "unsupported remote feature",
        "SCO offset rejected",
        "SCO interval rejected",
        "SCO air mode rejected",
        "invalid LMP parameters / invalid LL parameters",
        "unspecified error",
        "unsupported LMP parameter value / unsupported LL parameter value",
        "role change not allowed",
        "LMP response timeout / LL response timeout",
        "LMP error transaction collision / LL procedure collision",
        "LMP PDU not allowed",
        "encryption mode not acceptable",
        "link key cannot be changed",
        "requested QoS not supported",
        "instant passed",
        "pairing with unit key not supported",
        "different transaction collision",
        "",
        "QoS unacceptable parameter",
        "QoS rejected",
        "channel classification not supported",
        "insufficient security",
        "parameter out of mandatory range",
        "",
        "role switch pending",
        "",
        "reserved slot violation",
        "role switch failed",
        "extended inquiry response too large",
        "secure simple pairing not supported by host",
        "host busy - pairing",
        "connection rejected due to no suitable channel found",
        "controller busy",
        "unacceptable connection parameters",
        "advertising timeout",
        "connection terminated due to MIC failure",
        "connection failed to be established",
        "",
        "coarse clock adjustment rejected but will try to adjust using clock dragging",
        "type0 submap not defined",
        "unknown advertising identifier",
        "limit reached",
        "operation cancelled by host",
        "packet too long",
        "too late",
        "too early",
    ]
}

extension HCIStatus: WireDecodable, WireEncodable {
    public init(from reader: inout ByteReader) throws(DecodeError) {
        rawValue = try reader.uint8("status")
    }

    public func encode(into writer: inout ByteWriter) { writer.uint8(rawValue) }
}
