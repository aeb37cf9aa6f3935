// SPDX-License-Identifier: MIT

/// The encryption of a connection was switched on or off, or the attempt has failed.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7.8
package struct EncryptionChangeEvent: HCIEventParameters, FieldCoded {
    package static let form = HCIEventForm(.encryptionChange, "Encryption Change")

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

    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
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
    package static let form = HCIEventForm(.encryptionKeyRefreshComplete, "Encryption Key Refresh Complete")

    /// Success, or the reason of the failure (Status).
    package var status: HCIStatus
    package var connection: ConnectionHandle

    package init(status: HCIStatus = .success, _ connection: ConnectionHandle) {
        self.status = status
        self.connection = connection
    }

    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        status = try fields(\.status)
        connection = try fields(\.connection)
    }

    package var details: String { "connection \(connection): \(status)" }
}

/// The peer starts encryption, and the controller asks for the key. On Linux the kernel answers; the event is decoded
/// for traces.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7.65.5
package struct LELongTermKeyRequestEvent: HCIEventParameters, FieldCoded {
    package static let form = HCIEventForm(le: 0x05, "LE Long Term Key Request")

    package var connection: ConnectionHandle
    /// The random number that identifies the key (Random_Number); 0 for a key of Secure Connections.
    package var randomNumber: UInt64
    /// The diversifier that identifies the key (Encrypted_Diversifier); 0 for a key of Secure Connections.
    package var diversifier: UInt16

    package init(_ connection: ConnectionHandle, randomNumber: UInt64, diversifier: UInt16) {
        self.connection = connection
        self.randomNumber = randomNumber
        self.diversifier = diversifier
    }

    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        connection = try fields(\.connection)
        randomNumber = try fields(\.randomNumber, "Random_Number")
        diversifier = try fields(\.diversifier, "Encrypted_Diversifier")
    }

    package var details: String { "connection \(connection)" }
}
