// SPDX-License-Identifier: MIT

import Bluetooth

struct ChannelLink: DeviceLink {
    let channel: any ATTChannel
    /// The central's address on the air; `nil` if it is not known.
    let central: DeviceAddress?
    /// The bonds with centrals; a radio may not know them.
    let bonds: ServedBonds?
    /// The controller that ends the link below the channel; `nil` if there is none.
    let controller: HCIController?
    let scope: TaskScope

    /// It may change when the central pairs.
    var identity: DeviceAddress? { central.map { bonds?.identity(of: $0) ?? $0 } }

    /// The security of the link, with the knowledge of the bonds.
    var security: LinkSecurity { bonds?.security(of: channel) ?? channel.security }

    func send(_ pdu: [UInt8], now: @autoclosure () -> Instant) {
        do throws(RadioError) {
            try channel.send(pdu)
        } catch {
            // PDUs that the central sent before are still served; the receiver then learns of the end.
            channel.hangUp(error)
        }
    }

    func drained() async throws(RadioError) { try await channel.drained() }

    /// Ends the link. The controller's command takes time, which the device does not wait for.
    func hangUp(_ reason: HCIStatus) {
        scope.spawn { [channel, controller] in
            // Linux keeps a link for two seconds after its last socket was closed, so the controller ends it first.
            await controller?.disconnect(channel.connectionHandle)
            channel.close()
        }
    }
}
