// SPDX-License-Identifier: MIT

/// Sets the input and output of the machine for pairings. Needs `CAP_NET_ADMIN`.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, Set IO Capability Command
public struct SetIOCapability: ManagementCommand {
    public static let opcode = ManagementOpcode(rawValue: 0x0018)
    public static let name = "Set IO Capability"

    public typealias ReturnParameters = NoManagementReturnParameters

    /// The input and output.
    public var capability: IOCapability

    /// Creates the command.
    public init(_ capability: IOCapability) { self.capability = capability }

    public init(from reader: inout ByteReader) throws(DecodeError) { capability = try reader.value("IO capability") }

    public func encode(into writer: inout ByteWriter) { writer.uint8(capability.rawValue) }

    public var details: String { "\(capability)" }
}
