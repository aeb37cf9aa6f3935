// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothDevices
import BluetoothHost

/// An advertisement on the air.
struct Transmission: Sendable {
    let sender: Air.Sender
    let address: DeviceAddress
    let advertising: DeviceAdvertising
    let data: [UInt8]
    /// The start of the advertisement.
    let instant: Instant
}
