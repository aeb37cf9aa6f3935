// SPDX-License-Identifier: MIT

import Bluetooth
package import BluetoothHost
import Synchronization

/// The virtual time of a process that uses the world of another one: it goes on as that one's `WorldClock` says.
package final class MemberClock: Sendable {
    private struct State {
        /// Whether this process has the turn, and until which moment things are due in it.
        var turn: Instant?
        /// The moment that this process has said it waits for.
        var told: Instant?
        var hasAsked = false
        /// Whether this process wants the clock to go on.
        var isActive = true
        /// Takes the channels that others open; `nil` if there is no offer.
        var accept: (@Sendable (any PacketChannel) -> Void)?
        /// Called with the number of a process that has had the turn for long.
        var onHeld: (@Sendable (UInt32) -> Void)?
    }

    private let time: VirtualTime
    private let world: ClockPeer
    private let state: Mutex<State>

    /// Joins a clock. This process has the turn until it waits for the first time.
    ///
    /// - Parameters:
    ///   - link: The connection to the process that has the world.
    ///   - time: The clock of this process, at the moment that the other one has told.
    package init(joining link: ClockLink, time: VirtualTime) {
        self.time = time
        world = ClockPeer(link, isMember: true)
        state = Mutex(State(turn: time.now))
        time.conduct { [weak self] idle in self?.permission(idle) ?? .sleeper }
    }

    /// Follows the clock of the world until the connection ends, or until the task is cancelled. Then the clock is one for
    /// itself, and all channels have ended.
    package func follow() async {
        defer {
            time.conduct(nil)
            world.end()
        }
        while let message = try? await world.link.receive() {
            switch message {
            case .turn(let now, let packets):
                time.move(to: now)
                let accept = state.withLock { state in
                    state.turn = now
                    state.hasAsked = false
                    return state.accept
                }
                for packet in packets { take(packet, accept) }
            case .held(let process): state.withLock { $0.onHeld }?(process)
            case .waiting, .ask: return
            }
        }
    }

    /// Sets what is done when another process has had the turn for seconds of real time.
    package func setOnHeld(_ action: @escaping @Sendable (UInt32) -> Void) { state.withLock { $0.onHeld = action } }

    private func take(_ packet: ChannelPacket, _ accept: (@Sendable (any PacketChannel) -> Void)?) {
        guard case .open = packet.event else { return world.take(packet) }
        if let accept, let channel = world.accept(packet.channel) {
            accept(channel)
        } else {
            world.refuse(packet.channel)
        }
    }

    /// Whether this process wants the clock to go on. One that only holds a link for others does not.
    package func setActive(_ isActive: Bool) { state.withLock { $0.isActive = isActive } }

    /// Opens a channel to the process that has made an offer of that name, or without a name to the world.
    package func open(_ name: String? = nil) throws(RadioError) -> any PacketChannel { try world.open(name) }

    /// Has others open channels to this process by a name. A process has one offer at a time.
    package func offer(_ name: String, _ accept: @escaping @Sendable (any PacketChannel) -> Void) {
        state.withLock { $0.accept = accept }
        world.say(.offer(name))
    }

    /// Withdraws an offer. Open channels stay open.
    package func withdraw(_ name: String) {
        state.withLock { $0.accept = nil }
        world.say(.withdraw(name))
    }

    private enum Step {
        case permit(VirtualTime.Permission)
        case giveBack(until: Instant?, isActive: Bool)
        case ask
    }

    /// What this process may do when it has no job left: what is due at the moment of its turn, and then it waits.
    private func permission(_ idle: VirtualTime.Idle) -> VirtualTime.Permission {
        // A world that others may join does not come to rest. A task that waits for that has its limit only.
        let watch = idle.watch.flatMap { $0 < Self.never ? $0 : nil }
        let due = [idle.due, watch].compactMap(\.self).min()
        let step = state.withLock { state -> Step in
            guard let now = state.turn else {
                // Something came from outside of the world: a signal, or a request of a process that has not joined.
                let isSooner = due.map { due in state.told.map { due < $0 } ?? true } ?? false
                guard isSooner || world.hasPackets, !state.hasAsked else { return .permit(.nothing) }
                state.hasAsked = true
                return .ask
            }
            if let due = idle.due, due <= now { return .permit(.sleeper) }
            if let watch, watch <= now { return .permit(.watcher) }
            state.turn = nil
            state.told = due
            return .giveBack(until: due, isActive: state.isActive)
        }
        switch step {
        case .permit(let permission): return permission
        case .giveBack(let due, let isActive): world.send { .waiting(until: due, isActive: isActive, $0) }
        case .ask: world.send(.ask)
        }
        return .nothing
    }

    /// The limit of a task that waits for a world at rest without one.
    private static let never = Instant(nanoseconds: .max - 1)
}
