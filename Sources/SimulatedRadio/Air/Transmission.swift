// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices

struct Transmission: Sendable {
    let sender: Air.Sender
    /// The address in it, which may be private.
    let address: DeviceAddress
    let advertising: DeviceAdvertising
    /// The devices whose scan requests are answered; `nil` for all.
    let scanners: [DeviceAddress]?
    /// The data at that moment, which may be generated.
    var data: [UInt8]
    var instant: Instant
    /// The strength in dBm that receivers report in place of their own; a fault.
    var reportedStrength: Int8?
}

/// An advertisement that comes late.
struct LateTransmission: Sendable {
    let due: Instant
    let transmission: Transmission
}
