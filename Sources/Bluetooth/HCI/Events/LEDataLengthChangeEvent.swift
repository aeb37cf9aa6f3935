// SPDX-License-Identifier: MIT

/// The packet limits of a connection have changed.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7.65.7
package struct LEDataLengthChangeEvent: LEEventParameters, FieldCoded {
    package static let subevent: UInt8 = 0x07
    package static let name = "LE Data Length Change"

    package var connection: ConnectionHandle
    /// The limits for sending (Max_TX_Octets, Max_TX_Time).
    package var transmit: LEDataLength
    /// The limits for receiving (Max_RX_Octets, Max_RX_Time).
    package var receive: LEDataLength

    package init(_ connection: ConnectionHandle, transmit: LEDataLength, receive: LEDataLength) {
        self.connection = connection
        self.transmit = transmit
        self.receive = receive
    }

    init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        connection = try fields(\.connection)
        transmit = try fields(\.transmit)
        receive = try fields(\.receive)
    }

    package var details: String { "connection \(connection), transmit \(transmit), receive \(receive)" }
}
