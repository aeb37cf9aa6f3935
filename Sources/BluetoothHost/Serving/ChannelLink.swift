// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

/// An ATT channel as the device sees it.
struct ChannelLink: DeviceLink {
    let channel: any ATTChannel
    let identity: DeviceAddress?
    /// Whom to tell to end the link below the channel; `nil` where there is none.
    let controller: HCIController?
    let scope: TaskScope

    var security: LinkSecurity { channel.security }

    func send(_ pdu: [UInt8], now: Instant) {
        do throws(RadioError) {
            try channel.send(pdu)
        } catch {
            // What the central has sent before is carried out; whoever receives is told of the end behind it.
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
