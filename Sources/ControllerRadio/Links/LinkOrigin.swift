// SPDX-License-Identifier: MIT

import Bluetooth

/// Whose wish a link was.
struct LinkOrigin: Hashable, Sendable {
    /// The device at the other end.
    let peer: DeviceAddress
    /// The role of this host.
    let role: LERole
}
