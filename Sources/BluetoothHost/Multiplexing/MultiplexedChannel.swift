// SPDX-License-Identifier: MIT

import Synchronization

/// A channel between two processes through a connection that carries several: the packets of all of them, one after the
/// other, as `ChannelPacket`s.
package final class MultiplexedChannel: PacketChannel {
    /// The number of packets that wait for a slow reader before the sender is told to wait.
    private static let queueLimit = 256
    /// The octets that may come after that, because they were under way. An end that sends more is not told to wait, or
    /// does not want to.
    private static let surplusLimit = 16 << 20
    private static let operation = "channel to another process"

    private struct State: WaitedState {
        var end: RadioError?
        /// Whether the receiver has told this end to wait.
        var isPaused = false
        /// Whether the other end was told to wait.
        var holdsBack = false
        /// The octets that have come since it was told.
        var surplus = 0
        var waiters = Waiters<Void>()
    }

    private let state = Mutex(State())
    private let received = PacketQueue(limit: queueLimit, overflow: .pauseProducer)
    /// Has an event travel to the other end.
    private let emit: @Sendable (ChannelPacket.Event) -> Void
    /// Suspends while the connection has no room.
    private let untilRoom: @Sendable () async throws(RadioError) -> Void

    /// Creates an end of a channel.
    ///
    /// - Parameters:
    ///   - emit: Has an event travel to the other end. Does not wait.
    ///   - untilRoom: Suspends while the connection has no room for more.
    package init(
        _ emit: @escaping @Sendable (ChannelPacket.Event) -> Void,
        untilRoom: @escaping @Sendable () async throws(RadioError) -> Void = {}
    ) {
        self.emit = emit
        self.untilRoom = untilRoom
        received.setOnSpace { [weak self] in self?.hasRoom() }
    }

    package func take(_ event: ChannelPacket.Event) {
        switch event {
        case .open, .offer, .withdraw: break
        case .data(let bytes):
            guard !received.push(bytes) else { return }
            let (isNews, isTooMuch) = state.withLock { state in
                defer { state.holdsBack = true }
                // Packets without data take room, too.
                state.surplus += max(bytes.count, 64)
                return (!state.holdsBack, state.surplus > Self.surplusLimit)
            }
            if isTooMuch {
                return close(RadioError(.system(call: "receive", errno: "ENOBUFS"), during: Self.operation))
            }
            if isNews { emit(.pause) }
        case .pause: state.withLock { $0.isPaused = true }
        case .resume: resume { $0.isPaused = false }
        case .close: end(RadioError(.closedByPeer(nil), during: Self.operation))
        }
    }

    /// The consumer has taken packets of a full queue.
    private func hasRoom() {
        let isNews = state.withLock { state in
            defer { state.holdsBack = false }
            state.surplus = 0
            return state.holdsBack && state.end == nil
        }
        if isNews { emit(.resume) }
    }

    /// Ends the channel without telling the other end. The consumer gets the packets that have arrived first.
    package func end(_ reason: RadioError) {
        resume { $0.end = $0.end ?? reason }
        received.finish(reason)
    }

    /// Changes the state, and resumes those who wait until they may send.
    private func resume(_ change: (inout State) -> Void) {
        let waiters = state.withLock { state in
            change(&state)
            return state.waiters.takeAll()
        }
        waiters.resume(returning: ())
    }

    package var droppedCount: Int { received.droppedCount }

    package func receive() async throws(RadioError) -> [UInt8] { try await received.next() }

    package func receiveWaiting() async throws(RadioError) -> ArraySlice<[UInt8]> {
        try await received.next(atMost: Self.queueLimit)
    }

    package func send(_ packet: [UInt8]) throws(RadioError) {
        guard packet.count <= UInt16.max else {
            throw RadioError(.packetTooLong(packet.count, limit: Int(UInt16.max)), during: Self.operation)
        }
        if let end = state.withLock({ $0.end }) { throw end }
        emit(.data(packet))
    }

    /// Suspends while the other end has as many packets as it wants.
    package func drained() async throws(RadioError) {
        await state.answer(ifCancelled: ()) { $0.isPaused && $0.end == nil ? nil : () }
        if let end = state.withLock({ $0.end }) { throw end }
        if Task.isCancelled { throw RadioError(.cancelled, during: Self.operation) }
        try await untilRoom()
    }

    package func hangUp(_ reason: RadioError) { close(reason) }

    package func close() { close(RadioError(.closedLocally, during: Self.operation)) }

    private func close(_ reason: RadioError) {
        let isFirst = state.withLock { $0.end == nil }
        end(reason)
        if isFirst { emit(.close) }
    }
}
