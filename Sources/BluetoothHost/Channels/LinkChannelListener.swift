// SPDX-License-Identifier: MIT

package import Bluetooth

/// The listener that hands the channels of devices to the code above. Its owner offers the service on each link.
package final class LinkChannelListener: L2CAPListener {
    /// The service, and what this side accepts.
    package let request: L2CAPRequest
    /// The name of the adapter, for errors.
    private let adapter: String
    /// Sees the frames of links on which a channel is offered.
    private let onFrame: FrameObserver?
    private let withdraw: @Sendable (LinkChannelListener) -> Void
    /// The channels that wait for `accept`. Beyond 16 the oldest is dropped.
    private let accepted = BoundedQueue<LinkChannel>(limit: 16, overflow: .dropOldest)

    /// A listener that offers nothing yet.
    package init(
        _ request: L2CAPRequest,
        on adapter: String,
        onFrame: FrameObserver?,
        withdraw: @escaping @Sendable (LinkChannelListener) -> Void
    ) {
        self.request = request
        self.adapter = adapter
        self.onFrame = onFrame
        self.withdraw = withdraw
    }

    package func offer(
        on channels: LinkChannels,
        to peer: DeviceAddress,
        _ handle: ConnectionHandle,
        requirement: AccessRequirement = .open,
        time: any TimeSource
    ) {
        if let onFrame { channels.observe(onFrame, handle: handle) }
        var service = channels.announcement(mtu: request.mtu)
        service.requirement = requirement
        // Weak, because the link keeps this closure as long as it lasts, even if the listener is gone.
        channels.offer(service, at: request.spsm) { [weak self] opened in
            self?.accepted.push(LinkChannel(opened, among: channels, peer: peer, handle: handle, time: time))
        }
    }

    package func accept() async throws(RadioError) -> any L2CAPChannel { try await accepted.next() }

    /// Ends the listener because the adapter is gone or down.
    package func end(_ error: RadioError) { accepted.finish(error) }

    /// Withdraws the service. Channels that were accepted stay open.
    package func close() {
        withdraw(self)
        end(RadioError(.closedLocally, during: adapter))
    }
}
