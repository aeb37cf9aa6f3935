// SPDX-License-Identifier: MIT

/// A command's opcode: six bits of group, ten bits of command. Unknown values are kept.
///
/// Spec: Core 5.4, Vol 4, Part E, 5.4.1
package struct HCIOpcode: RawRepresentable, Hashable, Sendable {
    /// A group of commands (OGF).
    package struct Group: RawRepresentable, Hashable, Sendable {
        /// The group's number, six bits.
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let linkControl = Self(rawValue: 0x01)
        package static let baseband = Self(rawValue: 0x03)
        package static let informational = Self(rawValue: 0x04)
        package static let status = Self(rawValue: 0x05)
        package static let leController = Self(rawValue: 0x08)
    }

    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Combines group and command (OCF). Only the low ten bits of the command are used.
    package init(_ group: Group, _ command: UInt16) {
        rawValue = UInt16(group.rawValue) << 10 | command & 0x03FF
    }

    /// 0x0000: no command. A Command Complete event with this opcode only updates the number of commands that may be
    /// sent.
    package static let none = Self(rawValue: 0x0000)
}

extension HCIOpcode: FieldCoded {
    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        rawValue = try fields(\.rawValue, "command opcode")
    }
}
