// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost

struct SimulatedDeviceLink: DeviceLink {
    /// The link that the device's GATT server answers on.
    let link: SimulatedLink
    /// The adapter at the other end.
    let identity: DeviceAddress?

    /// The security that the server checks permissions against.
    var security: LinkSecurity { link.security }

    /// Sends a PDU to the central. It is lost if the link is ending.
    func send(_ pdu: [UInt8], now: @autoclosure () -> Instant) { link.sendToCentral(pdu, now: now()) }

    /// Suspends until the device's controller has room.
    func drained() async throws(RadioError) {
        await link.drainedToCentral()
        if let error = link.farError { throw error }
    }

    /// Ends the link with a reason that the central sees, as firmware that disconnects.
    func hangUp(_ reason: HCIStatus) { link.closeByDevice(reason) }
}
