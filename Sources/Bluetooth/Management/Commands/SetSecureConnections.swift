// SPDX-License-Identifier: MIT

/// Lets the kernel pair with Secure Connections, or demands it. Needs `CAP_NET_ADMIN`.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, Set Secure Connections Command
public struct SetSecureConnections: ManagementCommand {
    public static let opcode = ManagementOpcode(rawValue: 0x002D)
    public static let name = "Set Secure Connections"

    public typealias ReturnParameters = ManagementSettings

    /// The use of Secure Connections.
    public enum Mode: UInt8, Hashable, Sendable, CustomStringConvertible {
        /// Legacy pairing only.
        case off = 0x00
        /// Secure Connections with devices that support it.
        case on = 0x01
        /// No pairing without Secure Connections.
        case only = 0x02

        /// `off`, `on` or `only`.
        public var description: String {
            switch self {
            case .off: "off"
            case .on: "on"
            case .only: "only"
            }
        }
    }

    /// The use of Secure Connections.
    public var mode: Mode

    /// Creates the command.
    public init(_ mode: Mode) { self.mode = mode }

    public init(from reader: inout ByteReader) throws(DecodeError) { mode = try reader.value("secure connections") }

    public func encode(into writer: inout ByteWriter) { writer.uint8(mode.rawValue) }

    public var details: String { "\(mode)" }
}
