// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import BluetoothHost
import Synchronization

extension SimulatedAdapter {
    /// The event that an attempt to connect waits for.
    private enum Attempt {
        /// The next connectable advertisement is at this instant.
        case advertisement(at: Instant)
        /// No device advertises connectably at the address, because it has its maximum of links, is switched off or
        /// does not exist; the stream ends when that may have changed.
        case silence(AsyncStream<Never>, number: Int)
        /// The adapter cannot be used any more.
        case unusable
    }

    /// The result of an attempt at the moment of an advertisement.
    private enum Establishment {
        /// A link to a device of the world, with the client's number in its GATT server.
        case link(LinkEnd, station: Int, GATTServer.ClientID)
        case adapterLink(LinkEnd, far: SimulatedAdapter.FarEnd)
        /// The peer has advertised, but does not answer: the link fails to be established.
        case refused(SimulatedDevice.Link)
        case fault(RunningWorld.ConnectFault, SimulatedDevice.Link, station: Int)
        /// The advertisement did not come, because the peer has stopped, or was not heard, because the adapter cannot
        /// be used any more. The attempt goes on.
        case missed
        /// This adapter can make no link.
        case impossible(RadioError.Cause)
    }

    struct FarEnd: Sendable {
        let adapter: Int
        let end: LinkEnd
        /// Its channel, which the listener there gets.
        let channel: PeerATTChannel
    }

    /// Connects to a device as the kernel does: at its next connectable advertisement.
    ///
    /// A device that is absent, has another address type or is connected does not advertise. The attempt then lasts
    /// until the deadline, because a central cannot tell why nothing is heard.
    func connect(to peer: DeviceAddress, deadline: Instant) async throws(RadioError) -> SimulatedATTChannel {
        // An identity address type is a result of resolution; on the air there are public and random addresses only.
        let peer = DeviceAddress(peer.address, peer.type.connectionType)
        let operation = "connection to \(peer.address)"
        try await beginConnecting(deadline: deadline, operation)
        // A fault has let the connection come late, and decides no more.
        var isLate = false
        while true {
            // Checked in every round, because the adapter may have been switched off or pulled out meanwhile.
            try checkUse()
            // Checked in every round, because another attempt may have made a link while this one waited.
            if let obstacle = world.state.withLock({ $0.adapters[number]?.obstacle(to: peer, now: time.now) }) {
                throw RadioError(obstacle, during: operation)
            }
            switch attempt(peer) {
            // The next round finds the reason.
            case .unusable: continue
            case .silence(let signal, let waiter):
                defer { world.state.withLock { $0.waiters.remove(waiter, peer) } }
                try await wait(for: signal, deadline: deadline, operation)
                if time.now >= deadline { throw RadioError(.connectTimedOut, during: operation) }
            case .advertisement(let moment):
                try await sleep(until: min(moment, deadline), operation)
                guard moment < deadline else { throw RadioError(.connectTimedOut, during: operation) }
                switch establish(peer, isFree: isLate) {
                case .missed:
                    continue
                case .impossible(let obstacle):
                    throw RadioError(obstacle, during: operation)
                case .refused(let parameters):
                    try await fail(.connectionFailedToBeEstablished, after: nil, parameters, deadline, operation)
                case .fault(.refused(let delay, let status), let parameters, _):
                    try await fail(status, after: delay, parameters, deadline, operation)
                case .fault(.late(let moment), _, _):
                    try await sleep(until: min(moment ?? deadline, deadline), operation)
                    guard time.now < deadline else { throw RadioError(.connectTimedOut, during: operation) }
                    isLate = true
                case .fault(.paused(let fault, let end), _, let station):
                    let end = min(end ?? deadline, deadline)
                    try await wait(whilePausedBy: fault, at: station, peer, until: end, operation)
                    if time.now >= deadline { throw RadioError(.connectTimedOut, during: operation) }
                    isLate = time.now >= end
                case .link(let end, let station, let client):
                    carry(end, to: station, as: client)
                    return try await open(end, operation)
                case .adapterLink(let end, let far):
                    carry(end, to: far)
                    return try await open(end, operation)
                }
            }
        }
    }

    /// Hands the order to connect to the controller. Throws if the adapter has Low Energy off; and at the deadline, if the
    /// controller takes no such command, because the kernel waits all the same.
    private func beginConnecting(deadline: Instant, _ operation: String) async throws(RadioError) {
        try checkUse()
        guard world.state.withLock({ $0.adapters[number]?.kernel.settings.contains(.lowEnergy) == true }) else {
            throw RadioError(.lowEnergyOff, during: operation, on: description.name)
        }
        let vain = world.state.withLock { state -> RadioError.Cause? in
            guard let adapter = state.adapters[number] else { return nil }
            if adapter.kernel.isSuspended { return .connectTimedOut }
            return adapter.refusesExtendedCommands ? .connectRefused(.commandDisallowed) : nil
        }
        guard let vain else { return }
        try await sleep(until: deadline, operation)
        throw RadioError(vain, during: operation, on: description.name)
    }

    /// When to try: at the next connectable advertisement, or when something has changed.
    private func attempt(_ peer: DeviceAddress) -> Attempt {
        world.state.withLock { state in
            // With the lock of the next lines, so that an adapter that ends after this wakes the attempt.
            guard state.adapters[number]?.kernel.state == .up else { return .unusable }
            if let moment = state.nextConnectable(peer, for: number, from: time.now) {
                return .advertisement(at: moment)
            }
            // With the lock of the look at the air, so that no change between the two is missed.
            let (waiter, signal) = state.waiters.add(peer)
            return .silence(signal, number: waiter)
        }
    }

    /// Fails as the link layer does, which gives up after six connection events without an answer.
    ///
    /// Spec: Core 5.4, Vol 6, Part B, 4.5.2
    private func fail(
        _ status: HCIStatus,
        after delay: Duration?,
        _ parameters: SimulatedDevice.Link,
        _ deadline: Instant,
        _ operation: String
    ) async throws(RadioError) {
        try await sleep(until: min(time.now + (delay ?? parameters.interval * 6), deadline), operation)
        throw RadioError(time.now < deadline ? .connectFailed(status) : .connectTimedOut, during: operation)
    }

    /// - Parameter isFree: Whether faults have decided already.
    private func establish(_ peer: DeviceAddress, isFree: Bool) -> Establishment {
        let now = time.now
        let (result, waiters) = world.state.withLock { state -> (Establishment, [ConnectWaiters.Waiter]) in
            // The scan must report this advertisement, too. Afterwards the device may be silent.
            state.deliver(until: now)
            var waiters: [ConnectWaiters.Waiter] = []
            return (establish(peer, &state, isFree: isFree, now: now, &waiters), waiters)
        }
        for waiter in waiters { waiter.finish() }
        return result
    }

    /// - Parameter waiters: The attempts to wake without the lock are appended to them.
    private func establish(
        _ peer: DeviceAddress,
        _ state: inout RunningWorld.State,
        isFree: Bool,
        now: Instant,
        _ waiters: inout [ConnectWaiters.Waiter]
    ) -> Establishment {
        guard let adapter = state.adapters[number] else { return .impossible(.adapterRemoved) }
        guard adapter.kernel.state == .up else { return .missed }
        if let obstacle = adapter.obstacle(to: peer, now: now) { return .impossible(obstacle) }
        if let index = state.connectableStation(peer, for: number, now: now),
            state.air.nextConnectable(index, from: now, by: state.initiator(number, now: now)) != nil
        {
            return establish(to: index, at: peer, &state, isFree: isFree, now: now, &waiters)
        }
        if let (other, set, _) = state.nextSet(peer, for: number, from: now) {
            return establish(to: other, through: set, &state, now: now, &waiters)
        }
        return .missed
    }

    /// Connects to a device of the world, unless a fault decides otherwise.
    private func establish(
        to index: Int,
        at peer: DeviceAddress,
        _ state: inout RunningWorld.State,
        isFree: Bool,
        now: Instant,
        _ waiters: inout [ConnectWaiters.Waiter]
    ) -> Establishment {
        let device = state.stations[index].device
        if !isFree, let fault = state.connectFault(of: index, now: now) {
            return .fault(fault, device.link, station: index)
        }
        let address = device.address(after: now - state.start)
        // The link may be under another address of the device, which `obstacle` does not recognise.
        if state.adapters[number]?.isLinked(to: index) == true { return .impossible(.channelBusy(by: nil)) }
        guard let end = takeNearEnd(address, device.link, .device(index), &state, now: now) else {
            return .missed
        }
        state.stations[index].connections += 1
        waiters += state.refresh(index, now: now)
        return .link(end, station: index, state.stations[index].makeClient())
    }

    private func establish(
        to other: Int,
        through set: Air.AdapterSet,
        _ state: inout RunningWorld.State,
        now: Instant,
        _ waiters: inout [ConnectWaiters.Waiter]
    ) -> Establishment {
        let parameters = SimulatedDevice.Link()
        guard state.adapters[other]?.hasRoom == true else { return .refused(parameters) }
        guard
            let near = takeNearEnd(set.address, parameters, .adapter(other), &state, now: now),
            let handle = state.adapters[other]?.makeHandle()
        else { return .missed }
        let ownAddress = adapterAddress(state, now)
        let far = LinkEnd(
            link: near.link,
            side: .far,
            handle: handle,
            peer: ownAddress,
            role: .peripheral,
            sender: .adapter(number)
        )
        state.adapters[other]?.take(far)
        // After both ends are registered, because it compares the keys of both kernels.
        near.link.become(state.initialSecurity(of: near, for: number))
        for listener in state.adapters[other]?.services ?? [] { offer(listener, on: far) }
        if let terminated = state.adapters[other]?.controller.connectionTaken(handle, through: set.handle) {
            state.adapters[other]?.emit(terminated)
        }
        waiters += state.updateAdvertising(of: other, now: now)
        world.follow(&state)
        // A socket of the kernel has the identity address of a device that it knows.
        let peer = state.adapters[other]?.kernel.keys.identity(of: ownAddress) ?? ownAddress
        let channel = PeerATTChannel(near.link, peer: peer, handle: handle, time: time)
        // Without a listening program, the link exists but requests on it get no answer.
        state.adapters[other]?.listener?.push(channel)
        return .adapterLink(near, far: FarEnd(adapter: other, end: far, channel: channel))
    }

    private func adapterAddress(_ state: RunningWorld.State, _ now: Instant) -> DeviceAddress {
        state.adapters[number]?.kernel.ownAddress(after: now - state.start)
            ?? DeviceAddress(description.address, .public)
    }

    /// Adds a link in the central role to this adapter.
    private func takeNearEnd(
        _ peer: DeviceAddress,
        _ parameters: SimulatedDevice.Link,
        _ sender: Air.Sender,
        _ state: inout RunningWorld.State,
        now: Instant
    ) -> LinkEnd? {
        guard let handle = state.adapters[number]?.makeHandle() else { return nil }
        let link = SimulatedLink(handle, peer: peer, parameters: parameters, anchor: now)
        if case .device(let station) = sender { link.become(state.initialSecurity(of: station, for: number)) }
        let end = LinkEnd(link: link, side: .near, handle: handle, peer: peer, role: .central, sender: sender)
        state.adapters[number]?.take(end)
        offerServices(on: end, &state)
        return end
    }

    /// Returns the near channel of a link after the first connection event, which confirms the link.
    private func open(_ end: LinkEnd, _ operation: String) async throws(RadioError) -> SimulatedATTChannel {
        let link = end.link
        do throws(RadioError) {
            try await sleep(until: time.now + link.parameters.interval, operation)
        } catch {
            // A caller that gives up here has no channel with which it could end the link.
            link.closeByHost()
            throw error
        }
        return SimulatedATTChannel(link: link, time: time, adapter: self)
    }

    // MARK: - Links

    /// Carries PDUs between this adapter and a device, until the link ends.
    private func carry(_ end: LinkEnd, to station: Int, as client: GATTServer.ClientID) {
        let (peripheral, services) = world.state.withLock { state in
            (state.stations[station].peripheral, state.stations[station].device.channels)
        }
        for service in services { offer(service, on: end) }
        scope.spawn { [self] in
            let link = end.link
            let identity = DeviceAddress(description.address, .public)
            let loss = loseOutOfRange(link, station)
            await peripheral.connected(client, over: SimulatedDeviceLink(link: link, identity: identity))
            let ending = await link.run(time) { [self] pdu in
                await peripheral.received(pdu, from: client, signature: signature(of: pdu, to: station))
            }
            loss?.cancel()
            await peripheral.disconnected(client)
            ended(end, await reported(ending, by: station))
            link.finish()
            world.isBack(station)
        }
    }

    private func offer(_ service: DeviceChannel, on end: LinkEnd) {
        let channels = end.link.far
        let offered = CreditBasedChannels.Service(
            limits: CreditBasedLimits(mtu: service.mtu, mps: service.mps),
            window: service.credits,
            mostChannels: service.maximumChannels,
            requirement: service.requirement
        )
        let client = DeviceAddress(description.address, .public)
        channels.offer(offered, at: service.spsm) { [time, scope] opened in
            let channel = LinkChannel(opened, among: channels, peer: client, handle: nil, time: time)
            scope.spawn { await ChannelResponder(service).run(on: channel) }
        }
    }

    /// Breaks a link when the device goes out of range on schedule; `nil` if it never does.
    private func loseOutOfRange(_ link: SimulatedLink, _ station: Int) -> ScopedTask? {
        let signal = world.state.withLock { $0.stations[station].signal }
        guard let uptime = signal.nextAbsence(after: time.now - world.start) else { return nil }
        return scope.spawnCancellable { [time, start = world.start] in
            guard (try? await time.sleep(until: start + uptime)) != nil else { return }
            link.closeByDevice(.connectionTimeout)
        }
    }

    /// Carries PDUs between this adapter and another one, until the link ends.
    private func carry(_ near: LinkEnd, to far: FarEnd) {
        scope.spawn { [self] in
            let ending = await near.link.run(time) { far.channel.deliver($0) }
            world.state.withLock { state in
                state.adapters[number]?.ended(near, ending.reason)
                linkEnded(near, &state)
                if let kernel = state.adapters[far.adapter]?.kernel {
                    state.adapters[far.adapter]?.ended(far.end, ending.farReason)
                    SimulatedAdapter(far.adapter, kernel, in: world).linkEnded(far.end, &state)
                }
                world.follow(&state)
            }
            far.channel.end()
            near.link.finish()
        }
    }

    /// The reason that the controller reports for the end of a link, at the time when it does.
    private func reported(_ ending: SimulatedLink.Ending, by station: Int) async -> HCIStatus {
        guard
            ending.reason == .connectionTerminatedByLocalHost,
            let fault = world.fault(.disconnect, of: station)
        else { return ending.reason }
        switch fault.effect {
        case .delay(let delay):
            try? await time.sleep(for: delay)
        case .error(let code, let delay):
            if delay > .zero { try? await time.sleep(for: delay) }
            return code.map { HCIStatus(rawValue: $0) } ?? .linkLayerResponseTimeout
        default:
            break
        }
        return ending.reason
    }

    /// Reports the end of a link to this adapter, and wakes its waiting tasks.
    private func ended(_ end: LinkEnd, _ reason: HCIStatus) {
        world.state.withLock { state in
            state.adapters[number]?.ended(end, reason)
            linkEnded(end, &state)
            world.follow(&state)
        }
    }

    // MARK: - Waiting

    /// Sleeps; a cancellation becomes an error of the radio.
    private func sleep(until moment: Instant, _ operation: String) async throws(RadioError) {
        do {
            try await time.sleep(until: moment)
        } catch {
            throw RadioError(.cancelled, during: operation)
        }
    }

    /// Waits until a device has a fault no longer that pauses its connections, or until a time.
    private func wait(
        whilePausedBy fault: FaultRule,
        at station: Int,
        _ peer: DeviceAddress,
        until end: Instant,
        _ operation: String
    ) async throws(RadioError) {
        while time.now < end {
            let waiter = world.state.withLock { state in
                let isPaused = state.stations[station].faults.rules.contains { $0.rule == fault }
                return isPaused ? state.waiters.add(peer) : nil
            }
            guard let (number, signal) = waiter else { return }
            // Other changes of the device end the signal, too.
            defer { world.state.withLock { $0.waiters.remove(number, peer) } }
            try await wait(for: signal, deadline: end, operation)
        }
    }

    /// Waits for the signal's end or the deadline, whichever is first.
    private func wait(
        for signal: AsyncStream<Never>,
        deadline: Instant,
        _ operation: String
    ) async throws(RadioError) {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in signal {} }
            group.addTask { [time] in try? await time.sleep(until: deadline) }
            await group.next()
            group.cancelAll()
        }
        if Task.isCancelled { throw RadioError(.cancelled, during: operation) }
    }
}

extension RunningWorld.State {
    /// The index of the connectable device that an adapter reaches by an address; `nil` if there is none. A device with
    /// private addresses has its identity address only for a kernel that has its key.
    fileprivate func connectableStation(_ peer: DeviceAddress, for number: Int, now: Instant) -> Int? {
        let keys = adapters[number]?.kernel.keys
        let identity = keys?.identity(of: peer) ?? peer
        return stations.firstIndex { station in
            guard station.device.isConnectable else { return false }
            guard station.device.pairing?.addressLife != nil else { return station.device.address == peer }
            let address = station.device.address(after: now - start)
            return address == peer || keys?.identity(of: address) == identity
        }
    }

    /// The next time at which an adapter can connect to that address; `nil` if no device advertises connectably there.
    fileprivate mutating func nextConnectable(_ peer: DeviceAddress, for number: Int, from now: Instant) -> Instant? {
        if let index = connectableStation(peer, for: number, now: now) {
            return air.nextConnectable(index, from: now, by: initiator(number, now: now))
        }
        return nextSet(peer, for: number, from: now)?.instant
    }

    /// The controller of an adapter that is to connect, with its public address and the one that it has on the air.
    fileprivate func initiator(_ number: Int, now: Instant) -> Air.Initiator {
        guard let kernel = adapters[number]?.kernel else { return Air.Initiator(features: [], addresses: []) }
        return Air.Initiator(
            features: kernel.profile.leFeatures,
            addresses: [kernel.identityAddress, kernel.ownAddress(after: now - start)]
        )
    }

    /// The connectable set of another adapter that an adapter reaches by an address, and the time of its next
    /// advertisement.
    fileprivate mutating func nextSet(
        _ peer: DeviceAddress,
        for number: Int,
        from now: Instant
    ) -> (adapter: Int, set: Air.AdapterSet, instant: Instant)? {
        let keys = adapters[number]?.kernel.keys
        let identity = keys?.identity(of: peer)
        return air.nextConnectable(besides: number, from: now, by: initiator(number, now: now)) {
            $0 == peer || ($0.kind == .resolvable && keys?.identity(of: $0) == identity)
        }
    }
}

extension AdapterState {
    /// Whether there is a link to a device of the world already, under any address.
    fileprivate func isLinked(to station: Int) -> Bool {
        links.contains { $0.sender == .device(station) && $0.link.isOpen }
    }

    /// The reason why the adapter can make no further link to a device; `nil` if it can.
    fileprivate func obstacle(to peer: DeviceAddress, now: Instant) -> RadioError.Cause? {
        if let obstacle = others.obstacle(now: now) { return obstacle }
        if links.contains(where: { $0.peer == peer && $0.link.isOpen }) { return .channelBusy(by: nil) }
        return hasRoom ? nil : .tooManyConnections
    }
}

extension AdapterState {
    /// Whether the controller has extended commands and refuses them, because a program has used legacy ones. The
    /// kernel uses the extended ones.
    var refusesExtendedCommands: Bool {
        controller.family == .legacy && controller.profile.leFeatures.contains(.extendedAdvertising)
    }
}
