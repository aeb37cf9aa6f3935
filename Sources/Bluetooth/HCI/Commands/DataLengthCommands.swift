// SPDX-License-Identifier: MIT

/// Requests larger packets on a connection. LE Data Length Change reports the change.
///
/// The peer's limits may be lower. The event follows only if the limits in use change.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.33
package struct LESetDataLength: HCICommand, FieldCoded {
    package typealias ReturnParameters = LEConnectionReturnParameters

    package static let form = HCIForm(.leController, 0x0022, "LE Set Data Length", bit: (33, 6))

    package var connection: ConnectionHandle
    /// The requested limits for sending (TX_Octets, TX_Time).
    package var transmit: LEDataLength

    package init(_ connection: ConnectionHandle, transmit: LEDataLength) {
        self.connection = connection
        self.transmit = transmit
    }

    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        connection = try fields(\.connection)
        transmit = try fields(\.transmit)
    }

    package var details: String { "connection \(connection), \(transmit)" }
}

/// Asks for the suggested limits for sending on new connections (Suggested_Max_TX_Octets, Suggested_Max_TX_Time).
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.34
package struct LEReadSuggestedDefaultDataLength: HCIParameterlessCommand {
    package static let form = HCIForm(.leController, 0x0023, "LE Read Suggested Default Data Length", bit: (33, 7))

    package typealias ReturnParameters = LEDataLength

    package init() {}
}

/// Suggests the limits for sending on new connections.
///
/// The controller may choose other limits, so the connection's own event has the true ones.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.35
package struct LEWriteSuggestedDefaultDataLength: HCICommand, FieldCoded {
    package static let form = HCIForm(.leController, 0x0024, "LE Write Suggested Default Data Length", bit: (34, 0))

    /// The limits for sending (Suggested_Max_TX_Octets, Suggested_Max_TX_Time).
    package var transmit: LEDataLength

    package init(transmit: LEDataLength) { self.transmit = transmit }

    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        transmit = try fields(\.transmit)
    }

    package var details: String { "\(transmit)" }
}

/// Asks for the largest packets that the controller supports.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.46
package struct LEReadMaximumDataLength: HCIParameterlessCommand {
    package static let form = HCIForm(.leController, 0x002F, "LE Read Maximum Data Length", bit: (35, 3))

    package init() {}

    package struct ReturnParameters: HCIReturnParameters, FieldCoded {
        /// The limits for sending (Supported_Max_TX_Octets, Supported_Max_TX_Time).
        package var transmit: LEDataLength
        /// The limits for receiving (Supported_Max_RX_Octets, Supported_Max_RX_Time).
        package var receive: LEDataLength

        package init(transmit: LEDataLength, receive: LEDataLength) {
            self.transmit = transmit
            self.receive = receive
        }

        package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
            transmit = try fields(\.transmit)
            receive = try fields(\.receive)
        }

        package var details: String { "transmit \(transmit), receive \(receive)" }
    }
}
