// SPDX-License-Identifier: MIT

import Bluetooth
import Synchronization

/// The units of a credit-based channel in another process. One task takes what comes, so that this side learns how much
/// the other process has sent even while nobody receives.
final class RemoteUnits: PacketChannel {
    private struct State {
        /// The octets that this side has sent, modulo 2^32.
        var handed: UInt32 = 0
        /// The end of the channel; `nil` while it is open.
        var end: RadioError?
        /// The tasks that wait for the other process.
        var waiters: [AsyncStream<Never>.Continuation] = []
    }

    /// The number of units that wait for their consumer before the device is held back.
    private static let limit = 64

    /// The connection to the other process, which carries the units.
    private let channel: RemoteChannel
    /// The units that have arrived.
    private let units = PacketQueue(limit: limit, overflow: .pauseProducer)
    /// Behind a lock, because sending and receiving happen in different tasks.
    private let state = Mutex(State())

    init(_ channel: RemoteChannel) { self.channel = channel }

    /// Takes all that comes, until the end of the connection. While nobody receives, it takes only so much.
    func takeAll() async {
        do throws(RadioError) {
            while true {
                switch try await channel.next() {
                case .data(let unit), .kept(let unit, _):
                    if !units.push(unit) { await untilRoom() }
                case .finished: wake()
                default: break
                }
            }
        } catch {
            end(error)
        }
    }

    /// Returns when there is room for units, or when the task is cancelled.
    private func untilRoom() async {
        let (signal, continuation) = AsyncStream<Never>.makeStream()
        units.whenRoom { continuation.finish() }
        for await _ in signal {}
    }

    private func wake() {
        let waiters = state.withLock { state in
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.finish() }
    }

    private func end(_ error: RadioError) {
        state.withLock { $0.end = $0.end ?? error }
        units.finish(error)
        wake()
    }

    /// The octets that the other process has not sent yet; 0 if it does not tell.
    private func unsent(_ state: borrowing State) -> Int {
        guard state.end == nil, let sent = channel.finishedCount else { return 0 }
        // The answer may come before its octets are counted here: then the difference is below 0 for a moment.
        return max(0, Int(Int32(truncatingIfNeeded: state.handed &- sent)))
    }

    /// The octets that the other process has not sent yet.
    var unsentOctets: Int { state.withLock { unsent($0) } }

    func receive() async throws(RadioError) -> [UInt8] { try await units.next() }

    func receiveWaiting() async throws(RadioError) -> ArraySlice<[UInt8]> { try await units.next(atMost: Self.limit) }

    var droppedCount: Int { channel.droppedCount }

    func send(_ packet: [UInt8]) throws(RadioError) {
        try channel.send(packet)
        state.withLock { $0.handed &+= UInt32(truncatingIfNeeded: packet.count) }
    }

    /// Suspends until the other process has sent everything, which waits for the credits of the device.
    func drained() async throws(RadioError) {
        try await channel.drained()
        while true {
            let (signal, continuation) = AsyncStream<Never>.makeStream()
            let end = state.withLock { state in
                if unsent(state) > 0 { state.waiters.append(continuation) } else { continuation.finish() }
                return state.end
            }
            if let end { throw end }
            for await _ in signal {}
            if Task.isCancelled { throw RadioError(.cancelled, during: "channel") }
            if unsentOctets == 0 { break }
        }
        if let end = state.withLock({ $0.end }) { throw end }
    }

    func hangUp(_ reason: RadioError) { channel.hangUp(reason) }

    func close() {
        channel.close()
        end(RadioError(.closedLocally, during: "channel"))
    }
}
