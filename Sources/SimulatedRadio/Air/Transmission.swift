// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

/// An advertisement on the air.
struct Transmission: Sendable {
    /// Which device of the world sends it.
    let device: Int
    /// Its address.
    let address: DeviceAddress
    /// The advertising set.
    let advertising: DeviceAdvertising
    /// The data.
    let data: [UInt8]
    /// When it begins.
    let instant: Instant
}
