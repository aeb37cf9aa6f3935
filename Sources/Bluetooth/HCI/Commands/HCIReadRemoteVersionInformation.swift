// SPDX-License-Identifier: MIT

/// Asks the peer's controller for its version. Read Remote Version Information Complete contains it.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.1.23
package struct HCIReadRemoteVersionInformation: HCICommand, FieldCoded {
    package static let opcode = HCIOpcode(.linkControl, 0x001D)
    package static let name = "Read Remote Version Information"
    package static let completion = HCICommandCompletion.commandStatus
    package static let supportBit: HCISupportBit? = HCISupportBit(2, 7)

    package var connection: ConnectionHandle

    package init(_ connection: ConnectionHandle) { self.connection = connection }

    init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        connection = try fields(\.connection)
    }

    package var details: String { "connection \(connection)" }
}
