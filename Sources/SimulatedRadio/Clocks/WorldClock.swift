// SPDX-License-Identifier: MIT

package import BluetoothHost
import Dispatch
import Synchronization

/// The virtual time of a world that several processes use: it goes on when all of them wait.
///
/// One process runs at a time: it has the turn. It keeps its packets until it waits, and then gives the turn back with
/// them and with the moment that it waits for. This clock, in the process that has the world, then gives the turn to a
/// process for which there are packets. If there is none, it moves to the earliest moment that anything waits for. Two
/// runs in which the processes join in the same order are therefore the same byte for byte.
///
/// The clock stands still while no process wants it to go on: a world that nobody uses does not age. A process that does
/// not give its turn back, because it is stopped or because nobody reads its output, holds all others up, and they are
/// told.
///
/// All of this happens on the thread of `time`, except for that.
package final class WorldClock: Sendable {
    /// The most processes. Further ones are refused.
    private static let maximumMembers = 256

    private struct Member {
        let number: Int
        /// The number of the process, for messages.
        let process: UInt32
        let peer: ClockPeer
        /// Since when, in real time, it has had the turn; `nil` if it waits.
        var runs: ContinuousClock.Instant? = .now
        /// Whether it was told, since it has waited, who has the turn.
        var isTold = false
        /// Whether it wants a turn before anything is due.
        var asks = false
        var isActive = true
        /// The moment that it waits for.
        var due: Instant?
        /// The names by which others open channels to it.
        var offers: Set<String> = []
    }

    private struct State {
        /// The processes in the order in which they joined.
        var members: [Member] = []
        var lastMember = 0
        /// Whether somebody looks how long it takes.
        var isWatched = false
        var now: Instant
    }

    private let time: VirtualTime
    private let patience: Duration
    private let state: Mutex<State>

    /// Shares a clock with processes that are to join.
    ///
    /// - Parameters:
    ///   - time: The clock of the process that has the world.
    ///   - patience: The real time after which the others are told who has the turn.
    package init(sharing time: VirtualTime, patience: Duration = .seconds(5)) {
        self.time = time
        self.patience = patience
        state = Mutex(State(now: time.now))
        time.conduct { [weak self] idle in self?.permission(idle) ?? .sleeper }
    }

    /// Makes the clock one for itself again, at the end of the world.
    package func release() { time.conduct(nil) }

    // MARK: - Members

    /// Has a process join, and serves it until its connection ends or the task is cancelled.
    ///
    /// - Parameters:
    ///   - link: The connection to the process.
    ///   - process: The number of the process, for messages.
    ///   - greeting: The first packet to the process, which tells it the moment of the world. It has the turn then.
    ///   - accept: Takes each channel that the process opens to the world.
    package func serve(
        _ link: ClockLink,
        to process: UInt32,
        greeting: @Sendable (Instant) -> [UInt8],
        _ accept: @Sendable (any PacketChannel) -> Void
    ) async {
        let peer = ClockPeer(link, isMember: false)
        let joined = state.withLock { state -> (number: Int, now: Instant)? in
            guard state.members.count < Self.maximumMembers else { return nil }
            state.lastMember += 1
            state.members.append(Member(number: state.lastMember, process: process, peer: peer))
            return (state.lastMember, state.now)
        }
        guard let joined else { return link.channel.close() }
        watch()
        defer {
            let now = state.withLock { state in
                state.members.removeAll { $0.number == joined.number }
                return state.now
            }
            // The process may wait for the answer to its request to end the world.
            if peer.hasPackets { peer.send { .turn(now: now, $0) } }
            peer.end()
        }
        guard (try? link.channel.send(greeting(joined.now))) != nil else { return }
        while let message = try? await link.receive() {
            switch message {
            case .waiting(let due, let isActive, let packets):
                change(joined.number) { member in
                    member.runs = nil
                    member.isTold = false
                    member.isActive = isActive
                    member.due = due
                }
                for packet in packets { take(packet, of: peer, joined.number, accept) }
            case .ask: change(joined.number) { $0.asks = true }
            case .turn, .held: return
            }
        }
    }

    private func change(_ number: Int, _ change: (inout Member) -> Void) {
        state.withLock { state in
            guard let index = state.members.firstIndex(where: { $0.number == number }) else { return }
            change(&state.members[index])
        }
    }

    private func take(
        _ packet: ChannelPacket,
        of peer: ClockPeer,
        _ number: Int,
        _ accept: (any PacketChannel) -> Void
    ) {
        switch packet.event {
        case .open(nil):
            guard let channel = peer.accept(packet.channel) else { return peer.refuse(packet.channel) }
            accept(channel)
        case .open(let name?):
            let other = state.withLock { state in state.members.first { $0.offers.contains(name) }?.peer }
            guard let other, peer.forward(packet.channel, to: other) else { return peer.refuse(packet.channel) }
        case .offer(let name): change(number) { if $0.offers.count < Self.maximumMembers { $0.offers.insert(name) } }
        case .withdraw(let name): change(number) { $0.offers.remove(name) }
        case .data, .pause, .resume, .close: peer.take(packet)
        }
    }

    // MARK: - Turns

    private func permission(_ idle: VirtualTime.Idle) -> VirtualTime.Permission {
        let (permission, next) = state.withLock { state -> (VirtualTime.Permission, (peer: ClockPeer, now: Instant)?) in
            if state.members.contains(where: { $0.runs != nil }) { return (.nothing, nil) }
            if let index = state.members.firstIndex(where: { $0.asks || $0.peer.hasPackets }) {
                return (.nothing, turn(index, at: state.now, &state))
            }
            guard state.members.contains(where: \.isActive) else { return (.nothing, nil) }
            var first: (moment: Instant, index: Int)?
            for (index, member) in state.members.enumerated() {
                guard let due = member.due, first.map({ due < $0.moment }) ?? true else { continue }
                first = (due, index)
            }
            // At one moment the world comes first, and then the processes in the order in which they joined. Tasks of this
            // process that wait for a world at rest are not told, because more processes may join.
            if let own = idle.due, first.map({ own <= $0.moment }) ?? true {
                state.now = max(state.now, own)
                return (.sleeper, nil)
            }
            return (.nothing, first.map { turn($0.index, at: $0.moment, &state) })
        }
        if let (peer, now) = next {
            time.move(to: now)
            peer.send { .turn(now: now, $0) }
            watch()
        }
        return permission
    }

    private func turn(_ index: Int, at moment: Instant, _ state: inout State) -> (peer: ClockPeer, now: Instant) {
        state.now = max(state.now, moment)
        state.members[index].runs = .now
        state.members[index].asks = false
        return (state.members[index].peer, state.now)
    }

    // MARK: - Patience

    /// Looks after a while of real time who has the turn. One look at a time.
    private func watch() {
        let isFirst = state.withLock { state in
            defer { state.isWatched = true }
            return !state.isWatched
        }
        guard isFirst else { return }
        let moment = DispatchTime.now() + .nanoseconds(Int((Instant.zero + patience).nanoseconds))
        DispatchQueue.global().asyncAfter(deadline: moment) { [weak self] in self?.look() }
    }

    /// Tells those who wait which process has had the turn for long, and looks again while any has it: a process that is
    /// slow to wait may come to wait for another one.
    private func look() {
        let (holder, waiting, goesOn) = state.withLock { state -> (UInt32?, [ClockPeer], Bool) in
            state.isWatched = false
            let goesOn = state.members.contains { $0.runs != nil }
            let long = ContinuousClock.now - patience
            guard let holder = state.members.first(where: { $0.runs.map { $0 <= long } ?? false }) else {
                return (nil, [], goesOn)
            }
            var waiting: [ClockPeer] = []
            for (index, member) in state.members.enumerated()
            where member.runs == nil && member.isActive && !member.isTold {
                state.members[index].isTold = true
                waiting.append(member.peer)
            }
            return (holder.process, waiting, goesOn)
        }
        if let holder { for peer in waiting { peer.send(.held(process: holder)) } }
        if goesOn { watch() }
    }
}
