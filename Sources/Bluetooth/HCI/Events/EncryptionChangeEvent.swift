// SPDX-License-Identifier: MIT

/// The encryption of a connection was switched on or off, or the attempt has failed.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7.8
public struct EncryptionChangeEvent: HCIEventParameters {
    public static let code = HCIEventCode.encryptionChange
    public static let name = "Encryption Change"

    /// Success, or the reason of the failure (Status).
    public var status: HCIStatus
    /// The connection (Connection_Handle).
    public var connection: ConnectionHandle
    /// 0x00 for off; an LE link is encrypted with 0x01 (Encryption_Enabled).
    public var encryption: UInt8

    /// Creates the event.
    public init(status: HCIStatus = .success, _ connection: ConnectionHandle, encryption: UInt8) {
        self.status = status
        self.connection = connection
        self.encryption = encryption
    }

    public init(from reader: inout ByteReader) throws(DecodeError) {
        status = try HCIStatus(from: &reader)
        connection = try ConnectionHandle(from: &reader)
        encryption = try reader.uint8("Encryption_Enabled")
    }

    public func encode(into writer: inout ByteWriter) {
        writer.append(status)
        writer.append(connection)
        writer.uint8(encryption)
    }

    public var details: String { "connection \(connection): \(status), \(encryption == 0 ? "off" : "on")" }
}

/// The encryption key of a connection was renewed, or the attempt has failed.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7.39
public struct EncryptionKeyRefreshCompleteEvent: HCIEventParameters {
    public static let code = HCIEventCode.encryptionKeyRefreshComplete
    public static let name = "Encryption Key Refresh Complete"

    /// Success, or the reason of the failure (Status).
    public var status: HCIStatus
    /// The connection (Connection_Handle).
    public var connection: ConnectionHandle

    /// Creates the event.
    public init(status: HCIStatus = .success, _ connection: ConnectionHandle) {
        self.status = status
        self.connection = connection
    }

    public init(from reader: inout ByteReader) throws(DecodeError) {
        status = try HCIStatus(from: &reader)
        connection = try ConnectionHandle(from: &reader)
    }

    public func encode(into writer: inout ByteWriter) {
        writer.append(status)
        writer.append(connection)
    }

    public var details: String { "connection \(connection): \(status)" }
}
