// SPDX-License-Identifier: MIT

import Bluetooth

enum AdvertisingInput: Sendable {
    case event(HCIEvent)
    /// The device leaves, and comes back with `returned`.
    case left
    /// The device is back.
    case returned
    /// The device accepts connections from now on, or no more of them.
    case accepting(Bool)
    /// The lifetime of the private address is over.
    case outlived
}
