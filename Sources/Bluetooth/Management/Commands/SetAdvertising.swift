// SPDX-License-Identifier: MIT

/// Switches the kernel's own advertising on or off. Needs `CAP_NET_ADMIN`.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, Set Advertising Command
public struct SetAdvertising: ManagementCommand {
    public static let opcode = ManagementOpcode(rawValue: 0x0029)
    public static let name = "Set Advertising"

    public typealias ReturnParameters = ManagementSettings

    /// The kind of advertising.
    public enum Mode: UInt8, Hashable, Sendable, CustomStringConvertible {
        /// Nothing.
        case off = 0x00
        /// Connectable or not as the setting "connectable" determines.
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

    /// The kind of advertising.
    public var mode: Mode

    /// Creates the command.
    public init(_ mode: Mode) { self.mode = mode }

    public init(from reader: inout ByteReader) throws(DecodeError) { mode = try reader.value("advertising") }

    public func encode(into writer: inout ByteWriter) { writer.uint8(mode.rawValue) }

    public var details: String { "\(mode)" }
}
