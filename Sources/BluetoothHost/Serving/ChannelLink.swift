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
            switch error.cause {
            // Whoever receives is about to be told, and why.
            case .closedByPeer, .linkLost, .closedLocally: break
            // The central takes nothing any more.
            default: channel.close()
            }
        }
    }

    func hangUp(_ reason: HCIStatus) {
        scope.spawn { [channel, controller] in
            await controller?.disconnect(channel.connectionHandle)
            channel.close()
        }
    }
}
