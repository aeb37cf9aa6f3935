// SPDX-License-Identifier: MIT

/// Changes the parameters of a connection. LE Connection Update Complete reports the result.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.18
package struct LEConnectionUpdate: HCICommand, FieldCoded {
    package static let opcode = HCIOpcode(.leController, 0x0013)
    package static let name = "LE Connection Update"
    package static let completion = HCICommandCompletion.commandStatus
    package static let supportBit: HCISupportBit? = HCISupportBit(27, 2)

    package var connection: ConnectionHandle
    /// The new parameters.
    package var parameters: LEConnectionParameters

    package init(_ connection: ConnectionHandle, _ parameters: LEConnectionParameters) {
        self.connection = connection
        self.parameters = parameters
    }

    init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        connection = try fields(\.connection)
        parameters = try fields(\.parameters)
    }

    package var details: String { "connection \(connection), \(parameters)" }
}

/// Grants the parameters that the peer has requested.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.31
package struct LERemoteConnectionParameterRequestReply: HCICommand, FieldCoded {
    package typealias ReturnParameters = LEConnectionReturnParameters

    package static let opcode = HCIOpcode(.leController, 0x0020)
    package static let name = "LE Remote Connection Parameter Request Reply"
    package static let supportBit: HCISupportBit? = HCISupportBit(33, 4)

    package var connection: ConnectionHandle
    /// The granted parameters.
    package var parameters: LEConnectionParameters

    package init(_ connection: ConnectionHandle, _ parameters: LEConnectionParameters) {
        self.connection = connection
        self.parameters = parameters
    }

    init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        connection = try fields(\.connection)
        parameters = try fields(\.parameters)
    }

    package var details: String { "connection \(connection), \(parameters)" }
}

/// Refuses the parameters that the peer has requested.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.32
package struct LERemoteConnectionParameterRequestNegativeReply: HCICommand, FieldCoded {
    package typealias ReturnParameters = LEConnectionReturnParameters

    package static let opcode = HCIOpcode(.leController, 0x0021)
    package static let name = "LE Remote Connection Parameter Request Negative Reply"
    package static let supportBit: HCISupportBit? = HCISupportBit(33, 5)

    package var connection: ConnectionHandle
    package var reason: HCIStatus

    package init(_ connection: ConnectionHandle, reason: HCIStatus = .unacceptableConnectionParameters) {
        self.connection = connection
        self.reason = reason
    }

    init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        connection = try fields(\.connection)
        reason = try fields(\.reason, "Reason")
    }

    package var details: String { "connection \(connection), \(reason)" }
}

/// The return parameters of a command that returns the connection only.
package struct LEConnectionReturnParameters: HCIReturnParameters, FieldCoded {
    package var connection: ConnectionHandle

    package init(_ connection: ConnectionHandle) { self.connection = connection }

    init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        connection = try fields(\.connection)
    }

    package var details: String { "connection \(connection)" }
}
