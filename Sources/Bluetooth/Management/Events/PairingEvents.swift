// SPDX-License-Identifier: MIT

/// Asks the user whether to pair, or whether two numbers are the same.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, User Confirmation Request Event
public struct UserConfirmationRequestEvent: ManagementEventParameters {
    public static let code: UInt16 = 0x000F
    public static let name = "User Confirmation Request"

    /// The device.
    public var device: ManagementAddress
    /// Whether the question is only whether to pair. The number has no meaning then.
    public var isOnlyConsent: Bool
    /// The number to compare: 0 to 999,999.
    public var value: UInt32

    /// Creates the event.
    public init(_ device: ManagementAddress, isOnlyConsent: Bool, value: UInt32) {
        self.device = device
        self.isOnlyConsent = isOnlyConsent
        self.value = value
    }

    public init(from reader: inout ByteReader) throws(DecodeError) {
        device = try ManagementAddress(from: &reader)
        isOnlyConsent = try reader.flag("confirm hint")
        value = try reader.uint32("value")
    }

    public func encode(into writer: inout ByteWriter) {
        writer.append(device)
        writer.flag(isOnlyConsent)
        writer.uint32(value)
    }

    public var details: String { isOnlyConsent ? "\(device), consent" : "\(device), compare a number" }
}

/// Asks the user for the passkey that the device shows.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, User Passkey Request Event
public struct UserPasskeyRequestEvent: ManagementEventParameters {
    public static let code: UInt16 = 0x0010
    public static let name = "User Passkey Request"

    /// The device.
    public var device: ManagementAddress

    /// Creates the event.
    public init(_ device: ManagementAddress) { self.device = device }

    public init(from reader: inout ByteReader) throws(DecodeError) { device = try ManagementAddress(from: &reader) }

    public func encode(into writer: inout ByteWriter) { writer.append(device) }

    public var details: String { "\(device)" }
}

/// Reports the passkey that the user has to enter at the device.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, Passkey Notify Event
public struct PasskeyNotifyEvent: ManagementEventParameters {
    public static let code: UInt16 = 0x0017
    public static let name = "Passkey Notify"

    /// The device.
    public var device: ManagementAddress
    /// The passkey: 0 to 999,999.
    public var passkey: UInt32
    /// The number of digits that were entered so far.
    public var enteredCount: UInt8

    /// Creates the event.
    public init(_ device: ManagementAddress, passkey: UInt32, enteredCount: UInt8 = 0) {
        self.device = device
        self.passkey = passkey
        self.enteredCount = enteredCount
    }

    public init(from reader: inout ByteReader) throws(DecodeError) {
        device = try ManagementAddress(from: &reader)
        passkey = try reader.uint32("passkey")
        enteredCount = try reader.uint8("entered")
    }

    public func encode(into writer: inout ByteWriter) {
        writer.append(device)
        writer.uint32(passkey)
        writer.uint8(enteredCount)
    }

    /// The device. A trace does not show the passkey.
    public var details: String { "\(device), \(count: Int(enteredCount), "digit") entered" }
}

/// Reports that a pairing or the encryption of a link has failed.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, Authentication Failed Event
public struct AuthenticationFailedEvent: ManagementEventParameters {
    public static let code: UInt16 = 0x0011
    public static let name = "Authentication Failed"

    /// The device.
    public var device: ManagementAddress
    /// The failure. The kernel does not pass on the reason that the device gave.
    public var status: ManagementStatus

    /// Creates the event.
    public init(_ device: ManagementAddress, status: ManagementStatus) {
        self.device = device
        self.status = status
    }

    public init(from reader: inout ByteReader) throws(DecodeError) {
        device = try ManagementAddress(from: &reader)
        status = ManagementStatus(rawValue: try reader.uint8("status"))
    }

    public func encode(into writer: inout ByteWriter) {
        writer.append(device)
        writer.uint8(status.rawValue)
    }

    public var details: String { "\(device), \(status)" }
}

/// Reports that a device could not be connected.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, Connect Failed Event
public struct ConnectFailedEvent: ManagementEventParameters {
    public static let code: UInt16 = 0x000D
    public static let name = "Connect Failed"

    /// The device.
    public var device: ManagementAddress
    /// The failure.
    public var status: ManagementStatus

    /// Creates the event.
    public init(_ device: ManagementAddress, status: ManagementStatus) {
        self.device = device
        self.status = status
    }

    public init(from reader: inout ByteReader) throws(DecodeError) {
        device = try ManagementAddress(from: &reader)
        status = ManagementStatus(rawValue: try reader.uint8("status"))
    }

    public func encode(into writer: inout ByteWriter) {
        writer.append(device)
        writer.uint8(status.rawValue)
    }

    public var details: String { "\(device), \(status)" }
}
