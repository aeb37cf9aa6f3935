// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothDevices
import BluetoothHost
import Synchronization

extension SimulatedAdapter {
    /// The centrals that visit while the adapter advertises and a program listens, so that `serve` can be tried without
    /// a second machine.
    struct Guests {
        /// The maximum number of guests at the same time.
        static let most = 3
        /// The shortest time until the next guest comes, and the part that varies.
        private static let pause = Duration.seconds(1)
        private static let variation = Duration.seconds(6)

        var generator: SeededGenerator
        var listener: SimulatedListener?
        var isComing = false
        var present = 0

        init(seed: UInt64) { generator = SeededGenerator(seed: seed, stream: 0x6765_7374) }

        /// The next guest, and the time until it comes.
        mutating func next() -> (Guest, after: Duration) {
            let delay = Self.pause + generator.duration(below: Self.variation)
            return (Guest(&generator), delay)
        }
    }

    /// Listens for guests. Throws if another listener exists, because an adapter serves one database at a time.
    func listen() throws(RadioError) -> SimulatedListener {
        try checkUse()
        let listener = SimulatedListener(self)
        let isFree = state.withLock { state in
            guard state.guests.listener == nil else { return false }
            state.guests.listener = listener
            invite(&state)
            return true
        }
        guard isFree else { throw RadioError(.attributesServedElsewhere, during: description.name) }
        return listener
    }

    func stopListening(_ listener: SimulatedListener) {
        state.withLock { state in
            if state.guests.listener === listener { state.guests.listener = nil }
        }
    }

    /// Schedules the next guest if one could connect. Called after each change, with the lock held.
    func invite(_ state: inout State) {
        guard !state.guests.isComing, state.isOpenToGuests else { return }
        state.guests.isComing = true
        let (guest, delay) = state.guests.next()
        scope.spawn { [self] in
            guard (try? await time.sleep(for: delay)) != nil, let link = take(guest) else { return }
            let channel = GuestChannel(link, adapter: description.address, time: time)
            await withTaskGroup(of: Void.self) { group in
                group.addTask { [time, scope] in await guest.visit(over: channel, time, scope) }
                let reason = await link.run(time) { channel.deliver($0) }
                channel.end()
                ended(link, reason)
                link.finish()
            }
        }
    }

    /// Connects a guest that has come; `nil` if it finds no connectable advertisement any more.
    private func take(_ guest: Guest) -> SimulatedLink? {
        state.withLock { state in
            state.guests.isComing = false
            guard state.isOpenToGuests, let listener = state.guests.listener else { return nil }
            let link = SimulatedLink(state.makeHandle(), peer: guest.address, parameters: guest.link, anchor: time.now)
            state.links.append(link)
            state.guests.present += 1
            let isEnhanced = state.controller.profile.leFeatures.contains(.extendedAdvertising)
            state.emit(link.completeEvent(role: .peripheral, isEnhanced: isEnhanced))
            if let terminated = state.controller.connectionTaken(link.handle) { state.emit(terminated) }
            listener.push(SimulatedATTChannel(link: link, time: time))
            invite(&state)
            return link
        }
    }

    private func ended(_ link: SimulatedLink, _ reason: HCIStatus) {
        state.withLock { state in
            state.links.removeAll { $0 === link }
            state.guests.present -= 1
            state.emit(DisconnectionCompleteEvent(link.handle, reason: reason).packet)
            invite(&state)
        }
    }
}

extension SimulatedAdapter.State {
    /// Whether a guest could connect now.
    fileprivate var isOpenToGuests: Bool {
        guests.listener != nil && guests.present < SimulatedAdapter.Guests.most && controller.advertising.isConnectable
            && links.count < controller.profile.maximumConnections
    }
}

/// The listener that hands guests to the host.
final class SimulatedListener: ATTListener {
    private let adapter: SimulatedAdapter
    private let channels = BoundedQueue<any ATTChannel>(limit: 16, overflow: .pauseProducer)

    init(_ adapter: SimulatedAdapter) { self.adapter = adapter }

    func push(_ channel: any ATTChannel) { channels.push(channel) }

    func accept() async throws(RadioError) -> any ATTChannel { try await channels.next() }

    /// Ends the listener because the adapter is gone or down.
    func end(_ error: RadioError) { channels.finish(error) }

    func close() {
        adapter.stopListening(self)
        channels.finish(RadioError(.closedLocally, during: adapter.description.name))
    }
}
