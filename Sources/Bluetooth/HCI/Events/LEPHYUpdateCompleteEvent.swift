// SPDX-License-Identifier: MIT

/// The PHY of a connection has changed, or the attempt has failed.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7.65.12
public struct LEPHYUpdateCompleteEvent: LEEventParameters {
    public static let subevent = LESubeventCode.phyUpdateComplete
    public static let name = "LE PHY Update Complete"

    /// Success, or the reason of the failure (Status).
    public var status: HCIStatus
    /// The connection (Connection_Handle).
    public var connection: ConnectionHandle
    /// The PHY for sending (TX_PHY).
    public var transmit: LEPHY
    /// The PHY for receiving (RX_PHY).
    public var receive: LEPHY

    /// Creates the event.
    public init(status: HCIStatus = .success, _ connection: ConnectionHandle, transmit: LEPHY, receive: LEPHY) {
        self.status = status
        self.connection = connection
        self.transmit = transmit
        self.receive = receive
    }

    public init(from reader: inout ByteReader) throws(DecodeError) {
        status = try HCIStatus(from: &reader)
        connection = try ConnectionHandle(from: &reader)
        transmit = try LEPHY(from: &reader)
        receive = try LEPHY(from: &reader)
    }

    public func encode(into writer: inout ByteWriter) {
        writer.append(status)
        writer.append(connection)
        writer.append(transmit)
        writer.append(receive)
    }

    public var details: String {
        guard status == .success else { return "connection \(connection): \(status)" }
        return "connection \(connection), transmit \(transmit), receive \(receive)"
    }
}
