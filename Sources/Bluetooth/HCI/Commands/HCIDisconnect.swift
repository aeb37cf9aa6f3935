// SPDX-License-Identifier: MIT

/// Ends a connection. Disconnection Complete reports the end.
///
/// Only some reasons are allowed: 0x05, 0x13 to 0x15, 0x1A, 0x29 and 0x3B. A controller refuses others.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.1.6
package struct HCIDisconnect: HCICommand, FieldCoded {
    package static let opcode = HCIOpcode(.linkControl, 0x0006)
    package static let name = "Disconnect"
    package static let completion = HCICommandCompletion.commandStatus
    package static let supportBit: HCISupportBit? = HCISupportBit(0, 5)

    package var connection: ConnectionHandle
    /// The reason that the peer receives (Reason).
    package var reason: HCIStatus

    package init(_ connection: ConnectionHandle, reason: HCIStatus = .remoteUserTerminatedConnection) {
        self.connection = connection
        self.reason = reason
    }

    init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        connection = try fields(\.connection)
        reason = try fields(\.reason, "Reason")
    }

    package var details: String { "connection \(connection), \(reason)" }
}
