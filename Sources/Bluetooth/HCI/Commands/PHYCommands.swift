// SPDX-License-Identifier: MIT

/// Asks for the PHYs that a connection uses.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.47
package struct LEReadPHY: HCICommand, ConnectionCoded {
    package static let form = HCIForm(.leController, 0x0030, "LE Read PHY", bit: (35, 4))

    package var connection: ConnectionHandle

    package init(_ connection: ConnectionHandle) { self.connection = connection }

    package struct ReturnParameters: HCIReturnParameters, FieldCoded {
        package var connection: ConnectionHandle
        /// The PHY for sending (TX_PHY).
        package var transmit: LEPHY
        /// The PHY for receiving (RX_PHY).
        package var receive: LEPHY

        package init(_ connection: ConnectionHandle, transmit: LEPHY, receive: LEPHY) {
            self.connection = connection
            self.transmit = transmit
            self.receive = receive
        }

        package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
            connection = try fields(\.connection)
            transmit = try fields(\.transmit)
            receive = try fields(\.receive)
        }

        package var details: String { "connection \(connection), transmit \(transmit), receive \(receive)" }
    }
}

/// The preferred PHYs for each direction; `nil` for no preference.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.48 (ALL_PHYS, TX_PHYS, RX_PHYS)
package struct LEPHYPreference: Hashable, Sendable, CustomStringConvertible {
    /// The preferred PHYs for sending.
    package var transmit: LEPHYSet?
    package var receive: LEPHYSet?

    package init(transmit: LEPHYSet?, receive: LEPHYSet?) {
        self.transmit = transmit
        self.receive = receive
    }

    /// `transmit 2M, receive any`
    package var description: String {
        "transmit \(transmit.map { "\($0)" } ?? "any"), receive \(receive.map { "\($0)" } ?? "any")"
    }
}

extension LEPHYPreference: WireDecodable, WireEncodable {
    package init(from reader: inout ByteReader) throws(DecodeError) {
        let all = try reader.uint8("ALL_PHYS")
        let transmit = LEPHYSet(rawValue: try reader.uint8("TX_PHYS"))
        let receive = LEPHYSet(rawValue: try reader.uint8("RX_PHYS"))
        self.transmit = all & 0x01 == 0 ? transmit : nil
        self.receive = all & 0x02 == 0 ? receive : nil
    }

    package func encode(into writer: inout ByteWriter) {
        writer.uint8((transmit == nil ? 0x01 : 0x00) | (receive == nil ? 0x02 : 0x00))
        writer.uint8(transmit?.rawValue ?? 0x00)
        writer.uint8(receive?.rawValue ?? 0x00)
    }
}

/// Sets the preferred PHYs of new connections.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.48
package struct LESetDefaultPHY: HCICommand, FieldCoded {
    package static let form = HCIForm(.leController, 0x0031, "LE Set Default PHY", bit: (35, 5))

    package var preference: LEPHYPreference

    package init(_ preference: LEPHYPreference) { self.preference = preference }

    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        preference = try fields(\.preference)
    }

    package var details: String { "\(preference)" }
}

/// Requests other PHYs on a connection. LE PHY Update Complete reports the result.
///
/// The event follows even if the PHYs stay the same, so that the host always learns the outcome.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.49
package struct LESetPHY: HCICommand, FieldCoded {
    package static let form = HCIForm(.leController, 0x0032, "LE Set PHY", .commandStatus, bit: (35, 6))

    package var connection: ConnectionHandle
    package var preference: LEPHYPreference
    package var coding: LEPHYCoding

    package init(_ connection: ConnectionHandle, _ preference: LEPHYPreference, coding: LEPHYCoding = .any) {
        self.connection = connection
        self.preference = preference
        self.coding = coding
    }

    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        connection = try fields(\.connection)
        preference = try fields(\.preference)
        coding = try fields(\.coding, "PHY_Options")
    }

    package var details: String { "connection \(connection), \(preference), coding \(coding)" }
}
