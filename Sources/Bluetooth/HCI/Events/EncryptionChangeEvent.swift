// SPDX-License-Identifier: MIT

/// The encryption of a connection was switched on or off, or the attempt has failed.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7.8
package struct EncryptionChangeEvent: HCIEventParameters, FieldCoded {
    package static let code = HCIEventCode.encryptionChange
    package static let name = "Encryption Change"

    /// Success, or the reason of the failure (Status).
    package var status: HCIStatus
    package var connection: ConnectionHandle
    /// 0x00 for off; an LE link is encrypted with 0x01 (Encryption_Enabled).
    package var encryption: UInt8

    package init(status: HCIStatus = .success, _ connection: ConnectionHandle, encryption: UInt8) {
        self.status = status
        self.connection = connection
        self.encryption = encryption
    }

    init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        status = try fields(\.status)
        connection = try fields(\.connection)
        encryption = try fields(\.encryption, "Encryption_Enabled")
    }

    package var details: String { "connection \(connection): \(status), \(encryption == 0 ? "off" : "on")" }
}

/// The encryption key of a connection was renewed, or the attempt has failed.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7.39
package struct EncryptionKeyRefreshCompleteEvent: HCIEventParameters, FieldCoded {
    package static let code = HCIEventCode.encryptionKeyRefreshComplete
    package static let name = "Encryption Key Refresh Complete"

    /// Success, or the reason of the failure (Status).
    package var status: HCIStatus
    package var connection: ConnectionHandle

    package init(status: HCIStatus = .success, _ connection: ConnectionHandle) {
        self.status = status
        self.connection = connection
    }

    init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        status = try fields(\.status)
        connection = try fields(\.connection)
    }

    package var details: String { "connection \(connection): \(status)" }
}
