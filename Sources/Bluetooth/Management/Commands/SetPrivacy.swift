// SPDX-License-Identifier: MIT

/// Lets the adapter use private addresses that change, or not. Needs `CAP_NET_ADMIN`, and an adapter that is not
/// powered. Whether it is on is one of the settings in Read Controller Information.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, Set Privacy Command
public struct SetPrivacy: ManagementCommand {
    public static let opcode = ManagementOpcode(rawValue: 0x002F)
    public static let name = "Set Privacy"

    public typealias ReturnParameters = ManagementSettings

    /// The use of private addresses.
    public enum Mode: UInt8, Hashable, Sendable, CustomStringConvertible {
        /// The identity address only.
        case off = 0x00
        /// Private addresses; the identity address if the adapter must be found by it.
        case on = 0x01
        /// Private addresses; the identity address while the adapter can be discovered.
        case limited = 0x02

        /// `off`, `on` or `limited`.
        public var description: String {
            switch self {
            case .off: "off"
            case .on: "on"
            case .limited: "limited"
            }
        }
    }

    /// The use of private addresses.
    public var mode: Mode
    /// The adapter's identity resolving key.
    public var key: SecurityKey

    /// Creates the command. Without privacy the key has no meaning.
    public init(_ mode: Mode, key: SecurityKey = .zero) {
        self.mode = mode
        self.key = key
    }

    public init(from reader: inout ByteReader) throws(DecodeError) {
        mode = try reader.value("privacy")
        key = try SecurityKey(from: &reader)
    }

    public func encode(into writer: inout ByteWriter) {
        writer.uint8(mode.rawValue)
        writer.append(key)
    }

    public var details: String { "\(mode)" }
}
