// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import Synchronization

/// The listener that hands the channels of devices to the host.
final class SimulatedL2CAPListener: L2CAPListener {
    /// The service, and what this side accepts.
    let request: L2CAPRequest
    /// Sees the frames of links on which a channel is offered.
    let onFrame: FrameObserver?
    /// The adapter that the service is offered on.
    private let adapter: SimulatedAdapter
    /// The channels that wait for `accept`. Beyond 16 the oldest is dropped.
    private let accepted = BoundedQueue<LinkChannel>(limit: 16, overflow: .dropOldest)

    /// Creates a listener, which offers nothing yet.
    init(_ adapter: SimulatedAdapter, _ request: L2CAPRequest, onFrame: FrameObserver?) {
        self.adapter = adapter
        self.request = request
        self.onFrame = onFrame
    }

    func offer(on end: LinkEnd, time: any TimeSource) {
        let channels = end.channels
        if let onFrame { channels.observe(onFrame, handle: end.handle) }
        let limits = LinkChannels.limits(mtu: request.mtu)
        let service = ChannelOffer(limits: limits, window: CreditBasedChannel.usualWindow(limits))
        // Weak, because the link keeps this closure as long as it lasts, even if the listener is gone.
        channels.offer(service, at: request.spsm) { [weak self, peer = end.peer, handle = end.handle] opened in
            let channel = LinkChannel(opened, among: channels, peer: peer, handle: handle, time: time)
            self?.accepted.push(channel)
        }
    }

    /// The next channel; suspends until a device opens one.
    func accept() async throws(RadioError) -> any L2CAPChannel { try await accepted.next() }

    /// Ends the listener because the adapter is gone or down.
    func end(_ error: RadioError) { accepted.finish(error) }

    /// Withdraws the service from all links. Channels that were accepted stay open.
    func close() {
        adapter.stopListening(self)
        accepted.finish(RadioError(.closedLocally, during: adapter.description.name))
    }
}

extension LinkEnd {
    /// The credit-based channels at this end.
    var channels: LinkChannels {
        switch side {
        case .near: link.near
        case .far: link.far
        }
    }
}

extension SimulatedAdapter {
    /// Opens a credit-based channel over the link to the device, or over a new one.
    func connect(
        to peer: DeviceAddress,
        _ request: L2CAPRequest,
        deadline: Instant,
        onFrame: FrameObserver?
    ) async throws(RadioError) -> LinkChannel {
        let device = DeviceAddress(peer.address, peer.type.connectionType)
        // As the kernel does, which opens further channels over the link that it has.
        let known = world.state.withLock { state in
            state.adapters[number]?.links.first { $0.peer == device && $0.link.isOpen }
        }
        if let known { return try await open(request, on: known, deadline: deadline, onFrame: onFrame) }
        let bearer = try await connect(to: device, deadline: deadline)
        // The link lasts as long as its channels; if none opens, it ends here.
        defer { bearer.close() }
        if request.security > .low { try await bearer.raiseSecurity(to: request.security) }
        let link = bearer.link
        let end = LinkEnd(link: link, side: .near, handle: link.handle, peer: link.peer, role: .central, sender: nil)
        return try await open(request, on: end, deadline: deadline, onFrame: onFrame)
    }

    /// Opens a channel over a link that exists.
    private func open(
        _ request: L2CAPRequest,
        on end: LinkEnd,
        deadline: Instant,
        onFrame: FrameObserver?
    ) async throws(RadioError) -> LinkChannel {
        let observer = onFrame.map { (handle: end.handle, see: $0) }
        let opened = try await end.channels.open(request, deadline: deadline, time, shownTo: observer)
        return LinkChannel(opened, among: end.channels, peer: end.peer, handle: end.handle, time: time)
    }

    /// Offers a service on all links, the present and the later ones. Throws if the number is taken.
    func listen(_ request: L2CAPRequest, onFrame: FrameObserver?) throws(RadioError) -> SimulatedL2CAPListener {
        try checkUse()
        let listener = SimulatedL2CAPListener(self, request, onFrame: onFrame)
        let isFree = world.state.withLock { state in
            guard let adapter = state.adapters[number],
                !adapter.services.contains(where: { $0.request.spsm == request.spsm })
            else { return false }
            state.adapters[number]?.services.append(listener)
            // With the lock, so that a link that is made at this moment gets the offer exactly once.
            for end in adapter.links { listener.offer(on: end, time: time) }
            return true
        }
        guard isFree else { throw RadioError(.serviceTaken(request.spsm), during: description.name) }
        return listener
    }

    /// Withdraws a service from the adapter and from its links.
    func stopListening(_ listener: SimulatedL2CAPListener) {
        world.state.withLock { state in
            state.adapters[number]?.services.removeAll { $0 === listener }
            for end in state.adapters[number]?.links ?? [] { end.channels.withdraw(listener.request.spsm) }
        }
    }

    /// Offers the services of this adapter on a new link. Called with the lock held.
    func offerServices(on end: LinkEnd, _ state: inout RunningWorld.State) {
        for listener in state.adapters[number]?.services ?? [] { listener.offer(on: end, time: time) }
    }
}
