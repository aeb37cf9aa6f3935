// SPDX-License-Identifier: MIT

/// The peer starts encryption, and the controller asks for the key. On Linux the kernel answers; the event is decoded
/// for traces.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7.65.5
public struct LELongTermKeyRequestEvent: LEEventParameters {
    public static let subevent = LESubeventCode.longTermKeyRequest
    public static let name = "LE Long Term Key Request"

    /// The connection (Connection_Handle).
    public var connection: ConnectionHandle
    /// The random number that identifies the key (Random_Number); 0 for a key of Secure Connections.
    public var randomNumber: UInt64
    /// The diversifier that identifies the key (Encrypted_Diversifier); 0 for a key of Secure Connections.
    public var diversifier: UInt16

    /// Creates the event.
    public init(_ connection: ConnectionHandle, randomNumber: UInt64, diversifier: UInt16) {
        self.connection = connection
        self.randomNumber = randomNumber
        self.diversifier = diversifier
    }

    public init(from reader: inout ByteReader) throws(DecodeError) {
        connection = try ConnectionHandle(from: &reader)
        randomNumber = try reader.uint64("Random_Number")
        diversifier = try reader.uint16("Encrypted_Diversifier")
    }

    public func encode(into writer: inout ByteWriter) {
        writer.append(connection)
        writer.uint64(randomNumber)
        writer.uint16(diversifier)
    }

    public var details: String { "connection \(connection)" }
}
