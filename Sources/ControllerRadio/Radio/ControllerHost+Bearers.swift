// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import Synchronization

// Enhanced bearers of ATT: enhanced channels that lead to the attributes. They end with the ATT channel of their link.

extension ControllerHost {
    /// How long a peer may take to answer a request for bearers, of whose link it may first ask a person.
    static let bearerTimeout = Duration.seconds(20)

    /// The service behind which the attributes are. The links of both ends are encrypted.
    private static let bearers = L2CAPRequest(spsm: .enhancedATT, mtu: maximumMTU, security: .medium)

    func openBearers(_ count: Int, of channel: LinkATTChannel) async throws(RadioError) -> [any L2CAPChannel] {
        guard let line = line(of: channel) else { throw error(.closedLocally, during: channel.operation) }
        let deadline = time.now + Self.bearerTimeout
        let opened = try await line.channels.openEnhanced(Self.bearers, count: count, deadline: deadline, time)
        return opened.map { bearer($0, on: line, of: channel) }
    }

    /// Lets the peer open bearers on the link of a channel. A second call does nothing.
    func offerBearers(of channel: LinkATTChannel, to queue: BoundedQueue<LinkChannel>) {
        guard let line = line(of: channel) else { return }
        var service = line.channels.announcement(mtu: Self.bearers.mtu)
        service.mostChannels = channel.enhancedBearerLimit
        service.requirement = AccessRequirement(Self.bearers.security)
        service.isEnhanced = true
        // Weak, because the link keeps this closure as long as it lasts.
        line.channels.offer(service, at: .enhancedATT) { [weak self, weak channel] opened in
            guard let self, let channel else { return }
            queue.push(bearer(opened, on: line, of: channel))
        }
    }

    /// The channels of a link, whose frames are shown from now on to whoever wants to see bearers.
    private func line(of channel: LinkATTChannel) -> Line? {
        let line = state.withLock { $0.links[channel.handle] === channel ? $0.lines[channel.handle] : nil }
        if let observer = channel.frameObserver.withLock({ $0 }) {
            line?.channels.observeOnce(observer, handle: channel.handle)
        }
        return line
    }

    private func bearer(_ opened: LinkChannels.Opened, on line: Line, of channel: LinkATTChannel) -> LinkChannel {
        LinkChannel(opened, among: line.channels, peer: channel.peer, handle: channel.handle, time: time)
    }
}
