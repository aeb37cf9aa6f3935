// SPDX-License-Identifier: MIT

/// The peer starts encryption, and the controller asks for the key. On Linux the kernel answers; the event is decoded
/// for traces.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7.65.5
package struct LELongTermKeyRequestEvent: LEEventParameters, FieldCoded {
    package static let subevent: UInt8 = 0x05
    package static let name = "LE Long Term Key Request"

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

    init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        connection = try fields(\.connection)
        randomNumber = try fields(\.randomNumber, "Random_Number")
        diversifier = try fields(\.diversifier, "Encrypted_Diversifier")
    }

    package var details: String { "connection \(connection)" }
}
