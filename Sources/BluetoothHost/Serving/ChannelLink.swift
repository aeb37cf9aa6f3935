// SPDX-License-Identifier: MIT

import Bluetooth

/// An ATT channel as a device's link.
struct ChannelLink: DeviceLink {
    let channel: any ATTChannel
    let identity: DeviceAddress?
    /// The controller that ends the link below the channel; `nil` if there is none.
    let controller: HCIController?
    let scope: TaskScope

    var security: LinkSecurity { channel.security }

    func send(_ pdu: [UInt8], now: Instant) {
        do throws(RadioError) {
            try channel.send(pdu)
        } catch {
            // PDUs that the central sent before are still served; the receiver then learns of the end.
            channel.hangUp(error)
        }
    }

    func hangUp(_ reason: HCIStatus) {
        scope.spawn { [channel, controller] in
            await controller?.disconnect(channel.connectionHandle)
            channel.close()
        }
    }
}
