// SPDX-License-Identifier: MIT

import BluetoothHost
import Synchronization

/// A channel between two processes of a world in virtual time. Its packets travel with the turns of the processes.
final class ClockChannel: PacketChannel {
    /// The number of packets that wait for a slow reader before the sender is told to wait.
    private static let queueLimit = 256
    private static let operation = "shared world"

    private typealias Waiter = CheckedContinuation<Void, Never>

    private struct State {
        /// The reason of the end.
        var end: RadioError?
        /// Whether the receiver has told this end to wait.
        var isPaused = false
        /// Whether the other end was told to wait.
        var holdsBack = false
        var waiters: [Int: Waiter] = [:]
        var lastWaiter = 0
    }

    private let state = Mutex(State())
    private let received = PacketQueue(limit: queueLimit, overflow: .pauseProducer)
    /// Has an event travel to the other end.
    private let emit: @Sendable (ClockPacket.Event) -> Void

    init(_ emit: @escaping @Sendable (ClockPacket.Event) -> Void) {
        self.emit = emit
        received.setOnSpace { [weak self] in self?.hasRoom() }
    }

    // MARK: - Events of the other end

    /// Takes an event of the other end.
    func take(_ event: ClockPacket.Event) {
        switch event {
        case .open, .offer, .withdraw: break
        case .data(let bytes):
            guard !received.push(bytes) else { return }
            let isNews = state.withLock { state in
                defer { state.holdsBack = true }
                return !state.holdsBack
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
            return state.holdsBack && state.end == nil
        }
        if isNews { emit(.resume) }
    }

    /// Ends the channel without telling the other end. The consumer gets the packets that have arrived first.
    func end(_ reason: RadioError) {
        resume { $0.end = $0.end ?? reason }
        received.finish(reason)
    }

    /// Changes the state, and resumes those who wait until they may send.
    private func resume(_ change: (inout State) -> Void) {
        let waiters = state.withLock { state in
            change(&state)
            defer { state.waiters = [:] }
            return state.waiters
        }
        for number in waiters.keys.sorted() { waiters[number]?.resume() }
    }

    // MARK: - PacketChannel

    var droppedCount: Int { received.droppedCount }

    func receive() async throws(RadioError) -> [UInt8] { try await received.next() }

    func receiveWaiting() async throws(RadioError) -> ArraySlice<[UInt8]> {
        try await received.next(atMost: Self.queueLimit)
    }

    func send(_ packet: [UInt8]) throws(RadioError) {
        guard packet.count <= UInt16.max else {
            throw RadioError(.packetTooLong(packet.count, limit: Int(UInt16.max)), during: Self.operation)
        }
        if let end = state.withLock({ $0.end }) { throw end }
        emit(.data(packet))
    }

    /// Suspends while the other end has as many packets as it wants.
    func drained() async throws(RadioError) {
        let number = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: Waiter) in
                let mayGoOn = state.withLock { state in
                    // Under the lock that `onCancel` takes, so that one of the two sees the other.
                    if Task.isCancelled || !state.isPaused || state.end != nil { return true }
                    state.waiters[number] = continuation
                    return false
                }
                if mayGoOn { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: number) }?.resume()
        }
        if let end = state.withLock({ $0.end }) { throw end }
        if Task.isCancelled { throw RadioError(.cancelled, during: Self.operation) }
    }

    func hangUp(_ reason: RadioError) { close(reason) }

    func close() { close(RadioError(.closedLocally, during: Self.operation)) }

    private func close(_ reason: RadioError) {
        let isFirst = state.withLock { $0.end == nil }
        end(reason)
        if isFirst { emit(.close) }
    }
}
