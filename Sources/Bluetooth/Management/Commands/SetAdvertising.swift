// SPDX-License-Identifier: MIT

/// Switches the kernel's own advertising on or off. Needs `CAP_NET_ADMIN`.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, Set Advertising Command
package struct SetAdvertising: ManagementCommand, FieldCoded {
    package static let opcode = ManagementOpcode(rawValue: 0x0029)
    package static let name = "Set Advertising"

    package typealias ReturnParameters = ManagementSettings

    /// The kind of advertising.
    package enum Mode: UInt8, Hashable, Sendable, CustomStringConvertible {
        /// Nothing.
        case off = 0x00
        /// Connectable or not as the setting "connectable" determines.
        case on = 0x01
        /// So that centrals can connect.
        case connectable = 0x02

        /// `off`, `on` or `connectable`.
        package var description: String {
            switch self {
            case .off: "off"
            case .on: "on"
            case .connectable: "connectable"
            }
        }
    }

    /// The kind of advertising.
    package var mode: Mode

    package init(_ mode: Mode) { self.mode = mode }

    init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        mode = try fields(\.mode, "advertising")
    }

    package var details: String { "\(mode)" }
}
