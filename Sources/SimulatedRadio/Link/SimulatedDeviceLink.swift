// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost

/// The device's end of a link.
struct SimulatedDeviceLink: DeviceLink {
    let link: SimulatedLink
    /// The adapter at the other end.
    let identity: DeviceAddress?

    var security: LinkSecurity { link.security }

    func send(_ pdu: [UInt8], now: Instant) { link.sendToCentral(pdu, now: now) }

    func hangUp(_ reason: HCIStatus) { link.closeByDevice(reason) }
}
