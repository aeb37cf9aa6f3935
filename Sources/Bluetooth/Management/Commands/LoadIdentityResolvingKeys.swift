// SPDX-License-Identifier: MIT

/// Replaces all identity resolving keys in the kernel. Needs `CAP_NET_ADMIN`. The keys of another manager of the
/// adapter would be lost.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, Load Identity Resolving Keys Command
public struct LoadIdentityResolvingKeys: ManagementKeyListCommand {
    public static let opcode = ManagementOpcode(rawValue: 0x0030)
    public static let name = "Load Identity Resolving Keys"
    public static let keyLength = IdentityResolvingKey.length

    public typealias ReturnParameters = NoManagementReturnParameters

    /// The keys.
    public var keys: [IdentityResolvingKey]

    /// Creates the command.
    public init(_ keys: [IdentityResolvingKey]) { self.keys = keys }
}
