// SPDX-License-Identifier: MIT

/// The PHY of a connection has changed, or the attempt has failed.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7.65.12
package struct LEPHYUpdateCompleteEvent: LEEventParameters, FieldCoded {
    package static let subevent: UInt8 = 0x0C
    package static let name = "LE PHY Update Complete"

    /// Success, or the reason of the failure (Status).
    package var status: HCIStatus
    package var connection: ConnectionHandle
    /// The PHY for sending (TX_PHY).
    package var transmit: LEPHY
    /// The PHY for receiving (RX_PHY).
    package var receive: LEPHY

    package init(status: HCIStatus = .success, _ connection: ConnectionHandle, transmit: LEPHY, receive: LEPHY) {
        self.status = status
        self.connection = connection
        self.transmit = transmit
        self.receive = receive
    }

    init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        status = try fields(\.status)
        connection = try fields(\.connection)
        transmit = try fields(\.transmit)
        receive = try fields(\.receive)
    }

    package var details: String {
        guard status == .success else { return "connection \(connection): \(status)" }
        return "connection \(connection), transmit \(transmit), receive \(receive)"
    }
}
