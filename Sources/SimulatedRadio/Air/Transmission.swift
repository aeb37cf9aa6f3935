// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothDevices
import BluetoothHost

/// An advertisement on the air.
struct Transmission: Sendable {
    /// The index of the sending device in the world.
    let device: Int
    let address: DeviceAddress
    let advertising: DeviceAdvertising
    let data: [UInt8]
    /// The start of the advertisement.
    let instant: Instant
}
