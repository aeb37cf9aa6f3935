// SPDX-License-Identifier: MIT

package import Bluetooth

/// One end of a credit-based channel of a link, for its user.
package final class LinkChannel: L2CAPChannel {
    /// The number of units that wait for credits before `send` fails. Fast senders await `drained`.
    private static let sendQueueLimit = 4_096

    package let peer: DeviceAddress
    /// The handle of the link; `nil` for a device that has no controller.
    package let connectionHandle: UInt16?
    private let channels: LinkChannels
    private let channel: LinkChannels.Opened
    private let time: any TimeSource
    private let onClose: @Sendable () -> Void

    /// Hands an open channel over.
    ///
    /// - Parameters:
    ///   - channels: The channels of its end of the link.
    ///   - peer: The device at the other end.
    ///   - handle: The handle of the link, if there is one.
    ///   - onClose: Called when the user has closed it.
    package init(
        _ channel: LinkChannels.Opened,
        among channels: LinkChannels,
        peer: DeviceAddress,
        handle: ConnectionHandle?,
        time: any TimeSource,
        onClose: @escaping @Sendable () -> Void = {}
    ) {
        self.onClose = onClose
        self.channel = channel
        self.channels = channels
        self.peer = peer
        connectionHandle = handle?.rawValue
        self.time = time
    }

    /// A channel without users is closed, like a socket whose last descriptor is gone.
    deinit { close() }

    package var spsm: SPSM { channel.spsm }
    /// The largest unit that this end accepts.
    package var receiveMTU: UInt16 { channel.own.mtu }
    /// The largest unit that the other end accepts, which may grow.
    package var sendMTU: UInt16 { channels.present(channel)?.peer.mtu ?? channel.peer.mtu }
    /// The octets that wait for credits.
    package var unsentOctets: Int { channels.present(channel)?.waitingOctets ?? 0 }
    /// Always 0 in practice: credits keep the peer from sending more than fits.
    package var droppedCount: Int { channel.queue.droppedCount }

    private var operation: String { "channel \(spsm) to \(peer.address)" }

    /// The next unit. Taking it returns credits to the peer.
    package func receive() async throws(RadioError) -> [UInt8] {
        let unit = try await channel.queue.next()
        channels.taken(1, on: channel, now: time.now)
        return unit
    }

    /// Queues a unit. Throws if it is longer than the peer accepts, if too many wait for credits, or if the
    /// channel has ended.
    package func send(_ packet: [UInt8]) throws(RadioError) {
        guard packet.count <= Int(sendMTU) else {
            throw RadioError(.packetTooLong(packet.count, limit: Int(sendMTU)), during: operation)
        }
        guard (channels.present(channel)?.waitingUnits ?? 0) < Self.sendQueueLimit else {
            throw RadioError(.system(call: "send", errno: "ENOBUFS"), during: operation)
        }
        guard channels.send(packet, on: channel, now: time.now) else {
            throw RadioError(.closedByPeer(nil), during: operation)
        }
    }

    /// Suspends until nothing waits for credits. Throws if the channel has ended meanwhile.
    package func drained() async throws(RadioError) {
        await channels.drained(channel)
        if Task.isCancelled { throw RadioError(.cancelled, during: operation) }
        guard channels.present(channel) != nil else { throw RadioError(.closedByPeer(nil), during: operation) }
    }

    /// Closes the channel. A second call does nothing.
    package func close() {
        channels.close(channel, now: time.now)
        onClose()
    }
}
