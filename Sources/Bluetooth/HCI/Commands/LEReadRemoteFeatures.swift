// SPDX-License-Identifier: MIT

/// Asks the peer for its LE features. LE Read Remote Features Complete contains them.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.21
public struct LEReadRemoteFeatures: HCICommand {
    public typealias ReturnParameters = HCINoReturnParameters

    public static let opcode = HCIOpcode(.leController, 0x0016)
    public static let name = "LE Read Remote Features"
    public static let completion = HCICommandCompletion.commandStatus
    public static let supportBit: HCISupportBit? = HCISupportBit(27, 5)

    /// The connection (Connection_Handle).
    public var connection: ConnectionHandle

    /// Creates the command.
    public init(_ connection: ConnectionHandle) { self.connection = connection }

    public init(from reader: inout ByteReader) throws(DecodeError) {
        connection = try ConnectionHandle(from: &reader)
    }

    public func encode(into writer: inout ByteWriter) { writer.append(connection) }

    public var details: String { "connection \(connection)" }
}
