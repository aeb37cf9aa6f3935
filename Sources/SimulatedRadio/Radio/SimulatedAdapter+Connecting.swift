// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothDevices
import BluetoothHost
import Synchronization

extension SimulatedAdapter {
    private enum Attempt {
        /// The device's next connectable advertisement is at this instant.
        case advertisement(at: Instant)
        /// The device has its maximum of links; the stream ends when it can be connected again.
        case connected(AsyncStream<Never>)
        /// No device will answer.
        case silence
    }

    private enum Establishment {
        case link(SimulatedLink, Int)
        case refused(SimulatedDevice.Link)
        case missed
        case impossible(RadioError.Cause)
    }

    /// Connects to a device as the kernel does: at its next connectable advertisement.
    ///
    /// A device that is absent, has another address type or is connected does not advertise. The attempt then lasts
    /// until the deadline, because a central cannot tell why nothing is heard.
    func connect(to peer: DeviceAddress, deadline: Instant) async throws(RadioError) -> SimulatedATTChannel {
        let peer = DeviceAddress(peer.address, peer.type.connectionType)
        let operation = "connection to \(peer.address)"
        try checkUse()
        guard state.withLock({ $0.kernel.settings.contains(.lowEnergy) }) else {
            throw RadioError(.lowEnergyOff, during: operation, on: description.name)
        }
        while true {
            // Checked in every round, because another attempt may have come first while this one waited.
            if let obstacle = state.withLock({ $0.obstacle(to: peer, now: time.now) }) {
                throw RadioError(obstacle, during: operation)
            }
            switch attempt(peer) {
            case .silence:
                try await sleep(until: deadline, operation)
                throw RadioError(.connectTimedOut, during: operation)
            case .connected(let signal):
                try await wait(for: signal, deadline: deadline, operation)
                if time.now >= deadline { throw RadioError(.connectTimedOut, during: operation) }
            case .advertisement(let moment):
                try await sleep(until: min(moment, deadline), operation)
                guard moment < deadline else { throw RadioError(.connectTimedOut, during: operation) }
                switch establish(peer) {
                case .missed:
                    continue
                case .impossible(let obstacle):
                    throw RadioError(obstacle, during: operation)
                case .refused(let parameters):
                    // The link layer gives up after six connection events without an answer, so the failure comes late.
                    // Spec: Core 5.4, Vol 6, Part B, 4.5.2
                    try await sleep(until: min(time.now + parameters.interval * 6, deadline), operation)
                    let status = HCIStatus.connectionFailedToBeEstablished
                    throw RadioError(.connectFailed(status), during: operation)
                case .link(let link, let station):
                    return try await open(link, to: station, operation)
                }
            }
        }
    }

    private func attempt(_ peer: DeviceAddress) -> Attempt {
        state.withLock { state in
            let index = state.stations.firstIndex { $0.device.address == peer && $0.device.isConnectable }
            guard let index else { return .silence }
            if let moment = state.air.nextConnectable(index, from: time.now) { return .advertisement(at: moment) }
            let (signal, continuation) = AsyncStream<Never>.makeStream()
            state.stations[index].waiters.append(continuation)
            return .connected(signal)
        }
    }

    private func establish(_ peer: DeviceAddress) -> Establishment {
        state.withLock { state in
            let now = time.now
            // The scan must report this advertisement, too. Afterwards the device may be silent.
            state.hear(until: now)
            if let obstacle = state.obstacle(to: peer, now: now) { return .impossible(obstacle) }
            guard
                let index = state.stations.firstIndex(where: { $0.device.address == peer }),
                state.air.nextConnectable(index, from: now) != nil
            else { return .missed }
            let parameters = state.stations[index].device.link
            if state.stations[index].refusals > 0 {
                state.stations[index].refusals -= 1
                return .refused(parameters)
            }
            let link = SimulatedLink(
                state.makeHandle(),
                peer: peer,
                parameters: parameters,
                anchor: now
            )
            state.links.append(link)
            state.emit(
                link.completeEvent(isEnhanced: state.controller.profile.leFeatures.contains(.extendedAdvertising))
            )
            state.stations[index].connections += 1
            if state.stations[index].connections >= parameters.maximumConnections {
                state.air.setConnectable(index, false, now: now)
            }
            return .link(link, index)
        }
    }

    /// Starts both ends of a link, and returns after the first connection event, which confirms the link.
    private func open(
        _ link: SimulatedLink,
        to station: Int,
        _ operation: String
    ) async throws(RadioError) -> SimulatedATTChannel {
        let peripheral = state.withLock { $0.stations[station].peripheral }
        scope.spawn { [self] in
            let client = GATTServer.ClientID(UInt32(link.handle.rawValue))
            let identity = DeviceAddress(description.address, .public)
            await peripheral.connected(client, over: SimulatedDeviceLink(link: link, identity: identity))
            let reason = await link.run(time) { await peripheral.received($0, from: client) }
            await peripheral.disconnected(client)
            ended(link, reason)
            link.finish()
            await stayAway(station, reason)
            isBack(station)
        }
        do throws(RadioError) {
            try await sleep(until: time.now + link.parameters.interval, operation)
        } catch {
            link.closeByHost()
            throw error
        }
        return SimulatedATTChannel(link: link, time: time)
    }

    private func ended(_ link: SimulatedLink, _ reason: HCIStatus) {
        state.withLock { state in
            state.links.removeAll { $0 === link }
            state.emit(DisconnectionCompleteEvent(link.handle, reason: reason).packet)
            follow(&state)
        }
    }

    /// A device with a fault stays out of reach for a while after it is lost.
    private func stayAway(_ station: Int, _ reason: HCIStatus) async {
        let lapse = state.withLock { $0.stations[station].device.faults.lapse }
        guard let lapse, lapse.reason == reason, lapse.absence > .zero else { return }
        try? await time.sleep(for: lapse.absence)
    }

    /// Lets a device advertise again after one of its links has ended, and wakes the attempts that wait for it.
    private func isBack(_ station: Int) {
        let waiters = state.withLock { state in
            state.stations[station].connections -= 1
            state.air.setConnectable(station, true, now: time.now)
            follow(&state)
            defer { state.stations[station].waiters = [] }
            return state.stations[station].waiters
        }
        for waiter in waiters { waiter.finish() }
    }

    // MARK: - Waiting

    private func sleep(until moment: Instant, _ operation: String) async throws(RadioError) {
        do {
            try await time.sleep(until: moment)
        } catch {
            throw RadioError(.cancelled, during: operation)
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

extension SimulatedAdapter.State {
    /// The reason why the adapter can make no further link to a device; `nil` if it can.
    fileprivate func obstacle(to peer: DeviceAddress, now: Instant) -> RadioError.Cause? {
        if let obstacle = others.obstacle(now: now) { return obstacle }
        if links.contains(where: { $0.peer == peer && $0.isOpen }) { return .channelBusy(by: nil) }
        return links.count >= controller.profile.maximumConnections ? .tooManyConnections : nil
    }
}
