// SPDX-License-Identifier: MIT

/// Switches Secure Simple Pairing of Basic Rate on or off. A dual-mode controller has Secure Connections, also those of
/// Low Energy, only together with it. Needs `CAP_NET_ADMIN`.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, Set Secure Simple Pairing Command
public struct SetSecureSimplePairing: ManagementSwitchCommand {
    public static let opcode = ManagementOpcode(rawValue: 0x000B)
    public static let name = "Set Secure Simple Pairing"

    public typealias ReturnParameters = ManagementSettings

    /// Whether Secure Simple Pairing is used.
    public var isOn: Bool

    /// Creates the command.
    public init(_ isOn: Bool) { self.isOn = isOn }
}
