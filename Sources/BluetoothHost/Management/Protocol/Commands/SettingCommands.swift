// SPDX-License-Identifier: MIT

package import Bluetooth

/// Switches an adapter on or off. Needs `CAP_NET_ADMIN`.
package struct SetPowered: ManagementSwitchCommand {
    package static let form = ManagementForm(0x0005, "Set Powered")

    package var isOn: Bool

    package init(_ isOn: Bool) { self.isOn = isOn }
}

/// Lets the kernel keep the keys of paired devices, or forbids it. Needs `CAP_NET_ADMIN`.
package struct SetBondable: ManagementSwitchCommand {
    package static let form = ManagementForm(0x0009, "Set Bondable")

    package var isOn: Bool

    package init(_ isOn: Bool) { self.isOn = isOn }
}

/// Switches Secure Simple Pairing of Basic Rate on or off. A dual-mode controller has Secure Connections, also those of
/// Low Energy, only together with it. Needs `CAP_NET_ADMIN`.
package struct SetSecureSimplePairing: ManagementSwitchCommand {
    package static let form = ManagementForm(0x000B, "Set Secure Simple Pairing")

    package var isOn: Bool

    package init(_ isOn: Bool) { self.isOn = isOn }
}

/// Switches Low Energy on or off. Needs `CAP_NET_ADMIN`.
///
/// An adapter with Low Energy only refuses to switch it off, because nothing would remain.
package struct SetLowEnergy: ManagementSwitchCommand {
    package static let form = ManagementForm(0x000D, "Set Low Energy")

    package var isOn: Bool

    package init(_ isOn: Bool) { self.isOn = isOn }
}

/// Sets the input and output of the machine for pairings. Needs `CAP_NET_ADMIN`.
package struct SetIOCapability: ManagementCommand, FieldCoded {
    package static let form = ManagementForm(0x0018, "Set IO Capability")

    package typealias ReturnParameters = NoManagementReturnParameters

    package var capability: IOCapability

    package init(_ capability: IOCapability) { self.capability = capability }

    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        capability = try fields(\.capability, "IO capability")
    }

    package var details: String { "\(capability)" }
}

/// Switches the kernel's own advertising on or off. Needs `CAP_NET_ADMIN`.
package struct SetAdvertising: ManagementCommand, FieldCoded {
    package static let form = ManagementForm(0x0029, "Set Advertising")

    package typealias ReturnParameters = ManagementSettings

    package enum Mode: UInt8, Hashable, Sendable {
        case off = 0x00
        /// Connectable or not as the setting "connectable" determines.
        case on = 0x01
        /// So that centrals can connect.
        case connectable = 0x02
    }

    package var mode: Mode

    package init(_ mode: Mode) { self.mode = mode }

    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        mode = try fields(\.mode, "advertising")
    }

    package var details: String { "\(mode)" }
}

/// Lets the kernel pair with Secure Connections, or demands it. Needs `CAP_NET_ADMIN`.
package struct SetSecureConnections: ManagementCommand, FieldCoded {
    package static let form = ManagementForm(0x002D, "Set Secure Connections")

    package typealias ReturnParameters = ManagementSettings

    package enum Mode: UInt8, Hashable, Sendable {
        /// Legacy pairing only.
        case off = 0x00
        /// Secure Connections with devices that support it.
        case on = 0x01
        /// No pairing without Secure Connections.
        case only = 0x02
    }

    package var mode: Mode

    package init(_ mode: Mode) { self.mode = mode }

    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        mode = try fields(\.mode, "secure connections")
    }

    package var details: String { "\(mode)" }
}

/// Lets the adapter use private addresses that change, or not. Needs `CAP_NET_ADMIN`, and an adapter that is not
/// powered. Whether it is on is one of the settings in Read Controller Information.
package struct SetPrivacy: ManagementCommand, FieldCoded {
    package static let form = ManagementForm(0x002F, "Set Privacy")

    package typealias ReturnParameters = ManagementSettings

    package enum Mode: UInt8, Hashable, Sendable {
        /// The identity address only.
        case off = 0x00
        /// Private addresses; the identity address if the adapter must be found by it.
        case on = 0x01
        /// Private addresses; the identity address while the adapter can be discovered.
        case limited = 0x02
    }

    package var mode: Mode
    /// The adapter's identity resolving key.
    package var key: SecurityKey

    /// Creates the command. Without privacy the key has no meaning.
    package init(_ mode: Mode, key: SecurityKey = .zero) {
        self.mode = mode
        self.key = key
    }

    package init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        mode = try fields(\.mode, "privacy")
        key = try fields(\.key)
    }

    package var details: String { "\(mode)" }
}
