// SPDX-License-Identifier: MIT

/// Lets the kernel pair with Secure Connections, or demands it. Needs `CAP_NET_ADMIN`.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, Set Secure Connections Command
package struct SetSecureConnections: ManagementCommand, FieldCoded {
    package static let opcode = ManagementOpcode(rawValue: 0x002D)
    package static let name = "Set Secure Connections"

    package typealias ReturnParameters = ManagementSettings

    /// The use of Secure Connections.
    package enum Mode: UInt8, Hashable, Sendable, CustomStringConvertible {
        /// Legacy pairing only.
        case off = 0x00
        /// Secure Connections with devices that support it.
        case on = 0x01
        /// No pairing without Secure Connections.
        case only = 0x02

        /// `off`, `on` or `only`.
        package var description: String {
            switch self {
            case .off: "off"
            case .on: "on"
            case .only: "only"
            }
        }
    }

    /// The use of Secure Connections.
    package var mode: Mode

    package init(_ mode: Mode) { self.mode = mode }

    init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        mode = try fields(\.mode, "secure connections")
    }

    package var details: String { "\(mode)" }
}
