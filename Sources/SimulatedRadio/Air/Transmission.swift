// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import BluetoothHost

/// An advertisement on the air.
struct Transmission: Sendable {
    let sender: Air.Sender
    let address: DeviceAddress
    let advertising: DeviceAdvertising
    var data: [UInt8]
    /// The start of the advertisement.
    var instant: Instant
    /// The strength in dBm that receivers report in place of their own; a fault.
    var reportedStrength: Int8?
}
