// SPDX-License-Identifier: MIT

/// Asks the peer's controller for its version. Read Remote Version Information Complete contains it.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.1.23
public struct HCIReadRemoteVersionInformation: HCICommand {
    public typealias ReturnParameters = HCINoReturnParameters

    public static let opcode = HCIOpcode(.linkControl, 0x001D)
    public static let name = "Read Remote Version Information"
    public static let completion = HCICommandCompletion.commandStatus
    public static let supportBit: HCISupportBit? = HCISupportBit(2, 7)

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
