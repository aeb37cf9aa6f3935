// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import Synchronization

extension LinkEnd {
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
        let link = bearer.link
        let end = LinkEnd(link: link, side: .near, handle: link.handle, peer: link.peer, role: .central, sender: nil)
        return try await open(request, on: end, deadline: deadline, onFrame: onFrame)
    }

    private func open(
        _ request: L2CAPRequest,
        on end: LinkEnd,
        deadline: Instant,
        onFrame: FrameObserver?
    ) async throws(RadioError) -> LinkChannel {
        // Before the request, on every link.
        let bearer = SimulatedATTChannel(link: end.link, time: time, adapter: self)
        try await bearer.raiseSecurity(to: request.security)
        let observer = onFrame.map { (handle: end.handle, see: $0) }
        let opened = try await end.channels.open(request, deadline: deadline, time, shownTo: observer)
        return LinkChannel(opened, among: end.channels, peer: end.peer, handle: end.handle, time: time)
    }

    /// Offers a service on all links, the present and the later ones. Throws if the number is taken.
    func listen(_ request: L2CAPRequest, onFrame: FrameObserver?) throws(RadioError) -> LinkChannelListener {
        try checkUse()
        let listener = LinkChannelListener(request, on: description.name, onFrame: onFrame) { self.stopListening($0) }
        let isFree = world.state.withLock { state in
            guard let adapter = state.adapters[number],
                !adapter.services.contains(where: { $0.request.spsm == request.spsm })
            else { return false }
            state.adapters[number]?.services.append(listener)
            // With the lock, so that a link that is made at this moment gets the offer exactly once.
            for end in adapter.links { offer(listener, on: end) }
            return true
        }
        guard isFree else { throw RadioError(.serviceTaken(request.spsm), during: description.name) }
        return listener
    }

    private func stopListening(_ listener: LinkChannelListener) {
        world.state.withLock { state in
            state.adapters[number]?.services.removeAll { $0 === listener }
            for end in state.adapters[number]?.links ?? [] { end.channels.withdraw(listener.request.spsm) }
        }
    }

    /// Offers the services of this adapter on a new link. Called with the lock held.
    func offerServices(on end: LinkEnd, _ state: inout RunningWorld.State) {
        for listener in state.adapters[number]?.services ?? [] { offer(listener, on: end) }
    }

    func offer(_ listener: LinkChannelListener, on end: LinkEnd) {
        listener.offer(on: end.channels, to: end.peer, end.handle, time: time)
    }
}
