// SPDX-License-Identifier: MIT

import Bluetooth

/// Replaces all long-term keys in the kernel. Needs `CAP_NET_ADMIN`. The keys of another manager of the adapter would
/// be lost. The kernel accepts identity addresses only.
package struct LoadLongTermKeys: ManagementKeyListCommand {
    package static let form = ManagementForm(0x0013, "Load Long Term Keys")
    package static let keyLength = LongTermKey.length

    package var keys: [LongTermKey]

    package init(_ keys: [LongTermKey]) { self.keys = keys }
}

/// Replaces all identity resolving keys in the kernel. Needs `CAP_NET_ADMIN`. The keys of another manager of the
/// adapter would be lost.
package struct LoadIdentityResolvingKeys: ManagementKeyListCommand {
    package static let form = ManagementForm(0x0030, "Load Identity Resolving Keys")
    package static let keyLength = IdentityResolvingKey.length

    package var keys: [IdentityResolvingKey]

    package init(_ keys: [IdentityResolvingKey]) { self.keys = keys }
}
