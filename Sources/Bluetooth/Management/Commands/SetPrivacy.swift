// SPDX-License-Identifier: MIT

/// Lets the adapter use private addresses that change, or not. Needs `CAP_NET_ADMIN`, and an adapter that is not
/// powered. Whether it is on is one of the settings in Read Controller Information.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, Set Privacy Command
package struct SetPrivacy: ManagementCommand, FieldCoded {
    package static let opcode = ManagementOpcode(rawValue: 0x002F)
    package static let name = "Set Privacy"

    package typealias ReturnParameters = ManagementSettings

    /// The use of private addresses.
    package enum Mode: UInt8, Hashable, Sendable, CustomStringConvertible {
        /// The identity address only.
        case off = 0x00
        /// Private addresses; the identity address if the adapter must be found by it.
        case on = 0x01
        /// Private addresses; the identity address while the adapter can be discovered.
        case limited = 0x02

        /// `off`, `on` or `limited`.
        package var description: String {
            switch self {
            case .off: "off"
            case .on: "on"
            case .limited: "limited"
            }
        }
    }

    /// The use of private addresses.
    package var mode: Mode
    /// The adapter's identity resolving key.
    package var key: SecurityKey

    /// Creates the command. Without privacy the key has no meaning.
    package init(_ mode: Mode, key: SecurityKey = .zero) {
        self.mode = mode
        self.key = key
    }

    init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        mode = try fields(\.mode, "privacy")
        key = try fields(\.key)
    }

    package var details: String { "\(mode)" }
}
