// SPDX-License-Identifier: MIT

/// The opcode of a management command. Unknown values are kept.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst
public struct ManagementOpcode: RawRepresentable, Hashable, Sendable {
    /// The number on the wire.
    public let rawValue: UInt16

    /// Keeps any value, also an unknown one.
    public init(rawValue: UInt16) { self.rawValue = rawValue }
}

extension ManagementOpcode: CustomStringConvertible {
    /// The command's name; `command 0x0042` if it is unknown.
    public var description: String {
        ManagementCommandCatalog.type(of: self)?.name ?? "command 0x" + Hex.string(rawValue, minimumDigits: 4)
    }
}
