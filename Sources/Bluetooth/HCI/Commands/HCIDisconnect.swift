// SPDX-License-Identifier: MIT

/// Ends a connection. Disconnection Complete reports the end.
///
/// Only some reasons are allowed: 0x05, 0x13 to 0x15, 0x1A, 0x29 and 0x3B. A controller refuses others.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.1.6
public struct HCIDisconnect: HCICommand {
    public typealias ReturnParameters = HCINoReturnParameters

    public static let opcode = HCIOpcode(.linkControl, 0x0006)
    public static let name = "Disconnect"
    public static let completion = HCICommandCompletion.commandStatus
    public static let supportBit: HCISupportBit? = HCISupportBit(0, 5)

    /// The connection (Connection_Handle).
    public var connection: ConnectionHandle
    /// The reason that the peer receives (Reason).
    public var reason: HCIStatus

    /// Creates the command.
    public init(_ connection: ConnectionHandle, reason: HCIStatus = .remoteUserTerminatedConnection) {
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
