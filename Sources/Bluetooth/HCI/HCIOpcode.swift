// SPDX-License-Identifier: MIT

/// A command's opcode: six bits of group, ten bits of command. Unknown values are kept.
///
/// Spec: Core 5.4, Vol 4, Part E, 5.4.1
public struct HCIOpcode: RawRepresentable, Hashable, Sendable {
    /// A group of commands (OGF).
    public struct Group: RawRepresentable, Hashable, Sendable {
        /// The group's number, six bits.
        public let rawValue: UInt8

        /// Keeps any value, also an unknown one.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// 0x01: link control.
        public static let linkControl = Self(rawValue: 0x01)
        /// 0x03: controller and baseband.
        public static let baseband = Self(rawValue: 0x03)
        /// 0x04: informational parameters.
        public static let informational = Self(rawValue: 0x04)
        /// 0x05: status parameters.
        public static let status = Self(rawValue: 0x05)
        /// 0x08: LE controller.
        public static let leController = Self(rawValue: 0x08)
        /// 0x3F: commands of the controller's vendor.
        public static let vendor = Self(rawValue: 0x3F)
    }

    /// The number on the wire.
    public let rawValue: UInt16

    /// Keeps any value, also an unknown one.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Combines group and command (OCF). Only the low ten bits of the command are used.
    public init(_ group: Group, _ command: UInt16) {
        rawValue = UInt16(group.rawValue) << 10 | command & 0x03FF
    }

    /// 0x0000: no command. A Command Complete event with this opcode only updates the number of commands that may be
    /// sent.
    public static let none = Self(rawValue: 0x0000)

    /// The group.
    public var group: Group { Group(rawValue: UInt8(truncatingIfNeeded: rawValue >> 10)) }

    /// The command within its group.
    public var command: UInt16 { rawValue & 0x03FF }
}

extension HCIOpcode: CustomStringConvertible {
    /// The command's name in the specification; `command 0x2099` for an unknown one.
    public var description: String {
        if self == .none { return "no command" }
        return HCICommandCatalog.type(of: self)?.name ?? "command 0x" + Hex.string(rawValue, minimumDigits: 4)
    }
}

extension HCIOpcode: WireDecodable, WireEncodable {
    public init(from reader: inout ByteReader) throws(DecodeError) {
        rawValue = try reader.uint16("command opcode")
    }

    public func encode(into writer: inout ByteWriter) { writer.uint16(rawValue) }
}
