// SPDX-License-Identifier: MIT

/// Replaces all long-term keys in the kernel. Needs `CAP_NET_ADMIN`. The keys of another manager of the adapter would
/// be lost. The kernel accepts identity addresses only.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, Load Long Term Keys Command
public struct LoadLongTermKeys: ManagementKeyListCommand {
    public static let opcode = ManagementOpcode(rawValue: 0x0013)
    public static let name = "Load Long Term Keys"
    public static let keyLength = LongTermKey.length

    public typealias ReturnParameters = NoManagementReturnParameters

    /// The keys.
    public var keys: [LongTermKey]

    /// Creates the command.
    public init(_ keys: [LongTermKey]) { self.keys = keys }
}
