// SPDX-License-Identifier: MIT

/// The packet limits of a connection have changed.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7.65.7
public struct LEDataLengthChangeEvent: LEEventParameters {
    public static let subevent = LESubeventCode.dataLengthChange
    public static let name = "LE Data Length Change"

    /// The connection (Connection_Handle).
    public var connection: ConnectionHandle
    /// The limits for sending (Max_TX_Octets, Max_TX_Time).
    public var transmit: LEDataLength
    /// The limits for receiving (Max_RX_Octets, Max_RX_Time).
    public var receive: LEDataLength

    /// Creates the event.
    public init(_ connection: ConnectionHandle, transmit: LEDataLength, receive: LEDataLength) {
        self.connection = connection
        self.transmit = transmit
        self.receive = receive
    }

    public init(from reader: inout ByteReader) throws(DecodeError) {
        connection = try ConnectionHandle(from: &reader)
        transmit = try LEDataLength(from: &reader)
        receive = try LEDataLength(from: &reader)
    }

    public func encode(into writer: inout ByteWriter) {
        writer.append(connection)
        writer.append(transmit)
        writer.append(receive)
    }

    public var details: String { "connection \(connection), transmit \(transmit), receive \(receive)" }
}
