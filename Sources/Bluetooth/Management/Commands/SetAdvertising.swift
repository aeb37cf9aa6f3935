// SPDX-License-Identifier: MIT

/// Lets the kernel advertise by itself, or not. Needs `CAP_NET_ADMIN`.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, Set Advertising Command
public struct SetAdvertising: ManagementCommand {
    public static let opcode = ManagementOpcode(rawValue: 0x0029)
    public static let name = "Set Advertising"

    public typealias ReturnParameters = ManagementSettings

    /// What the kernel advertises.
    public enum Mode: UInt8, Hashable, Sendable, CustomStringConvertible {
        /// Nothing.
        case off = 0x00
        /// What the setting "connectable" says.
        case on = 0x01
        /// So that centrals can connect.
        case connectable = 0x02

        /// `off`, `on` or `connectable`.
        public var description: String {
            switch self {
            case .off: "off"
            case .on: "on"
            case .connectable: "connectable"
            }
        }
    }

    /// What the kernel advertises.
    public var mode: Mode

    /// Creates the command.
    public init(_ mode: Mode) { self.mode = mode }

    public init(from reader: inout ByteReader) throws(DecodeError) { mode = try reader.value("advertising") }

    public func encode(into writer: inout ByteWriter) { writer.uint8(mode.rawValue) }

    public var details: String { "\(mode)" }
}
