// SPDX-License-Identifier: MIT

/// Asks the peer for its LE features. LE Read Remote Features Complete contains them.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.21
package struct LEReadRemoteFeatures: HCICommand, FieldCoded {
    package static let opcode = HCIOpcode(.leController, 0x0016)
    package static let name = "LE Read Remote Features"
    package static let completion = HCICommandCompletion.commandStatus
    package static let supportBit: HCISupportBit? = HCISupportBit(27, 5)

    package var connection: ConnectionHandle

    package init(_ connection: ConnectionHandle) { self.connection = connection }

    init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        connection = try fields(\.connection)
    }

    package var details: String { "connection \(connection)" }
}
