// SPDX-License-Identifier: MIT

/// Changes the parameters of a connection. LE Connection Update Complete reports the result.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.18
public struct LEConnectionUpdate: HCICommand {
    public typealias ReturnParameters = HCINoReturnParameters

    public static let opcode = HCIOpcode(.leController, 0x0013)
    public static let name = "LE Connection Update"
    public static let completion = HCICommandCompletion.commandStatus
    public static let supportBit: HCISupportBit? = HCISupportBit(27, 2)

    /// The connection (Connection_Handle).
    public var connection: ConnectionHandle
    /// The new parameters.
    public var parameters: LEConnectionParameters

    /// Creates the command.
    public init(_ connection: ConnectionHandle, _ parameters: LEConnectionParameters) {
        self.connection = connection
        self.parameters = parameters
    }

    public init(from reader: inout ByteReader) throws(DecodeError) {
        connection = try ConnectionHandle(from: &reader)
        parameters = try LEConnectionParameters(from: &reader)
    }

    public func encode(into writer: inout ByteWriter) {
        writer.append(connection)
        writer.append(parameters)
    }

    public var details: String { "connection \(connection), \(parameters)" }
}

/// Grants the parameters that the peer has requested.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.31
public struct LERemoteConnectionParameterRequestReply: HCICommand {
    public typealias ReturnParameters = LEConnectionReturnParameters

    public static let opcode = HCIOpcode(.leController, 0x0020)
    public static let name = "LE Remote Connection Parameter Request Reply"
    public static let completion = HCICommandCompletion.commandComplete
    public static let supportBit: HCISupportBit? = HCISupportBit(33, 4)

    /// The connection (Connection_Handle).
    public var connection: ConnectionHandle
    /// The granted parameters.
    public var parameters: LEConnectionParameters

    /// Creates the command.
    public init(_ connection: ConnectionHandle, _ parameters: LEConnectionParameters) {
        self.connection = connection
        self.parameters = parameters
    }

    public init(from reader: inout ByteReader) throws(DecodeError) {
        connection = try ConnectionHandle(from: &reader)
        parameters = try LEConnectionParameters(from: &reader)
    }

    public func encode(into writer: inout ByteWriter) {
        writer.append(connection)
        writer.append(parameters)
    }

    public var details: String { "connection \(connection), \(parameters)" }
}

/// Refuses the parameters that the peer has requested.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.32
public struct LERemoteConnectionParameterRequestNegativeReply: HCICommand {
    public typealias ReturnParameters = LEConnectionReturnParameters

    public static let opcode = HCIOpcode(.leController, 0x0021)
    public static let name = "LE Remote Connection Parameter Request Negative Reply"
    public static let completion = HCICommandCompletion.commandComplete
    public static let supportBit: HCISupportBit? = HCISupportBit(33, 5)

    /// The connection (Connection_Handle).
    public var connection: ConnectionHandle
    /// The reason (Reason).
    public var reason: HCIStatus

    /// Creates the command.
    public init(_ connection: ConnectionHandle, reason: HCIStatus = .unacceptableConnectionParameters) {
        self.connection = connection
        self.reason = reason
    }

    public init(from reader: inout ByteReader) throws(DecodeError) {
        connection = try ConnectionHandle(from: &reader)
        reason = HCIStatus(rawValue: try reader.uint8("Reason"))
    }

    public func encode(into writer: inout ByteWriter) {
        writer.append(connection)
        writer.append(reason)
    }

    public var details: String { "connection \(connection), \(reason)" }
}

/// The return parameters of a command that returns the connection only.
public struct LEConnectionReturnParameters: HCIReturnParameters {
    /// The connection (Connection_Handle).
    public var connection: ConnectionHandle

    /// Creates the return parameters.
    public init(_ connection: ConnectionHandle) { self.connection = connection }

    public init(from reader: inout ByteReader) throws(DecodeError) {
        connection = try ConnectionHandle(from: &reader)
    }

    public func encode(into writer: inout ByteWriter) { writer.append(connection) }

    public var details: String { "connection \(connection)" }
}
