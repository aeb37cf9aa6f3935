// SPDX-License-Identifier: GPL-2.0-or-later

/// Which command of the management interface. Unknown values survive.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst
public struct ManagementOpcode: RawRepresentable, Hashable, Sendable {
    /// The number on the wire.
    public let rawValue: UInt16

    /// Takes the number as it is.
    public init(rawValue: UInt16) { self.rawValue = rawValue }
}

extension ManagementOpcode: CustomStringConvertible {
    /// The command's name, `command 0x0042` for one that is not known here.
    public var description: String {
        ManagementCommandCatalog.type(of: self)?.name ?? "command 0x" + Hex.string(rawValue, minimumDigits: 4)
    }
}
