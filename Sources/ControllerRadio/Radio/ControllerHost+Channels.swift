// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import Synchronization

// Credit-based channels. Their lock is taken before that of the host, and never the other way round: so what comes for
// them is handed over when the host's lock is free again.

extension ControllerHost {
    /// The credit-based channels of one link.
    struct Line: Sendable {
        /// The number of the link. A controller gives the handle of a link that has ended to another one.
        let id: UInt64
        let peer: DeviceAddress
        let channels: LinkChannels
    }

    /// What is handed to the channels of a link, and who is woken, when the lock is free.
    enum Delivery: Sendable {
        case frame(L2CAPFrame, ConnectionHandle, Line, LinkSecurity)
        case end(Line, RadioError)
        case wake(@Sendable () -> Void)
    }

    /// The direction in which this host sends on a link.
    private struct OwnLine: FrameLine {
        let host: ControllerHost
        let handle: ConnectionHandle
        let id: UInt64

        func send(_ frame: L2CAPFrame, now: @autoclosure () -> Instant) { host.send(frame, on: handle, of: id) }

        func drained() async { try? await host.drained(handle, during: host.name) }
    }

    /// How long a link without channels waits for the answer of a peer whose last one was closed.
    private static let channelFarewell = Duration.seconds(2)
    /// Half of it is given back by one signal, which costs as much as a packet of the peer.
    private static let leastWindow: UInt16 = 32

    /// A link has begun: services are offered there.
    func openLine(_ handle: ConnectionHandle, _ peer: DeviceAddress, _ state: inout State) {
        let id = state.number()
        let channels = LinkChannels(
            sendingOn: OwnLine(host: self, handle: handle, id: id),
            during: "link to \(peer.address)",
            packetLength: state.facts?.packetLength,
            leastWindow: Self.leastWindow
        )
        let line = Line(id: id, peer: peer, channels: channels)
        state.lines[handle] = line
        // Nobody else has these channels yet, so that their lock is free.
        for service in state.services { offer(service, on: line, handle) }
    }

    /// Hands over what has come for channels, and wakes tasks.
    func deliver(_ deliveries: [Delivery]) {
        for delivery in deliveries {
            switch delivery {
            case .frame(let frame, let handle, let line, let security):
                line.channels.received(frame, security: security, now: time.now)
                if line.channels.isIdle { endIfUnused(handle, line) }
            case .end(let line, let error): line.channels.end(error)
            case .wake(let wake): wake()
            }
        }
    }

    /// Sends a frame of channels whose lock is taken, so that nothing is delivered here; sending leads to nothing.
    private func send(_ frame: L2CAPFrame, on handle: ConnectionHandle, of id: UInt64) {
        state.withLock { state in
            guard state.lines[handle]?.id == id else { return }
            transmit(frame, on: handle, &state)
        }
    }

    /// Ends a link that this host has made, and that neither an ATT channel nor another one uses. A peer that does not
    /// answer what closes its channel has a moment for that.
    func endIfUnused(_ handle: ConnectionHandle, _ line: Line) {
        guard !line.channels.isInUse else { return }
        if line.channels.isIdle { return endUnused(handle, line) }
        _ = scope.spawn { [weak self, time] in
            try? await time.sleep(for: Self.channelFarewell)
            self?.endUnused(handle, line)
        }
    }

    private func endUnused(_ handle: ConnectionHandle, _ line: Line) {
        guard !line.channels.isInUse else { return }
        change { state in
            let isOwn = state.machine.links[handle]?.origin.role == .central
            let hasATT = state.links[handle].map { $0.end == nil } ?? false
            guard isOwn, !hasATT, state.lines[handle]?.id == line.id else { return }
            run(&state) { $0.end(handle, now: $1) }
        }
    }

    /// Opens a credit-based channel over the link to a device, or over a new one.
    func connect(
        to device: DeviceAddress,
        _ request: L2CAPRequest,
        deadline: Instant,
        onFrame: FrameObserver?
    ) async throws(RadioError) -> LinkChannel {
        let operation = "channel \(request.spsm) to \(device.address)"
        var bearer: LinkATTChannel?
        if state.withLock({ $0.handle(of: device) }) == nil {
            bearer = try await connect(device, deadline: deadline)
        }
        // The link lasts as long as its channels; if none opens, it ends here.
        defer { bearer?.close() }
        let present = state.withLock { state in
            state.handle(of: device).flatMap { handle in state.lines[handle].map { (handle, $0) } }
        }
        guard let (handle, line) = present else { throw error(.closedByPeer(nil), during: operation) }
        if request.security > .low {
            // A central need not answer the request for security.
            try await connected(by: deadline, during: operation) {
                try await self.raiseSecurity(of: handle, to: request.security, during: operation) {
                    $0.lines[handle]?.id == line.id
                }
            }
        }
        let opened: LinkChannels.Opened
        do throws(RadioError) {
            opened = try await line.channels.open(
                request,
                deadline: deadline,
                time,
                shownTo: onFrame.map { (handle, $0) }
            )
        } catch {
            endIfUnused(handle, line)
            throw error
        }
        return LinkChannel(opened, among: line.channels, peer: device, handle: handle, time: time) { [weak self] in
            self?.endIfUnused(handle, line)
        }
    }

    /// Offers a service on all links, the present and the later ones. Throws if the number is taken.
    func listen(_ request: L2CAPRequest, onFrame: FrameObserver?) throws(RadioError) -> LinkChannelListener {
        let listener = LinkChannelListener(request, on: name, onFrame: onFrame) { self.stopListening($0) }
        let lines = try state.withLock { state throws(RadioError) in
            if let end = state.end { throw end }
            guard !state.services.contains(where: { $0.request.spsm == request.spsm }) else {
                throw error(.serviceTaken(request.spsm))
            }
            state.services.append(listener)
            return state.lines
        }
        for (handle, line) in lines { offer(listener, on: line, handle) }
        return listener
    }

    func offer(_ listener: LinkChannelListener, on line: Line, _ handle: ConnectionHandle) {
        let requirement = AccessRequirement(listener.request.security)
        listener.offer(on: line.channels, to: line.peer, handle, requirement: requirement, time: time)
    }

    private func stopListening(_ listener: LinkChannelListener) {
        let lines = state.withLock { state in
            state.services.removeAll { $0 === listener }
            return Array(state.lines.values)
        }
        for line in lines { line.channels.withdraw(listener.request.spsm) }
    }
}

extension ControllerHost.State {
    /// Wakes a task when the lock is free.
    mutating func wake<Value: Sendable>(_ waiter: CheckedContinuation<Value, Never>, _ value: Value) {
        deliveries.append(.wake { waiter.resume(returning: value) })
    }
}

extension AccessRequirement {
    init(_ level: SecurityLevel) {
        self.init(
            encryption: level > .low,
            authentication: level > .medium,
            minimumKeySize: level == .fips ? 16 : 7
        )
    }
}
