// SPDX-License-Identifier: MIT

import BluetoothHost
import Synchronization

/// The units of a credit-based channel in another process.
///
/// One task takes what comes, so that this side learns how much the other process has sent even while nobody receives.
/// Units that nobody receives hold the device back. The numbers of sent octets, and the end, come after the units on
/// the same connection. While somebody waits for them in `drained`, units are taken beyond the limit, up to a reserve.
///
/// The task keeps only `Core`. A channel without users is closed, like a socket whose last descriptor is gone.
final class RemoteUnits: PacketChannel {
    /// The state that the users and the task share.
    private let core: Core

    /// Takes over an open channel. Nothing is taken before `takeAll`.
    init(_ channel: RemoteChannel) { core = Core(channel) }

    deinit { core.close() }

    /// Takes all that comes, in a task of the scope, until the end of the connection. Returns `false` if the scope has
    /// ended.
    func takeAll(in scope: TaskScope) -> Bool { scope.spawn { [core] in await core.takeAll() } }

    /// The octets that the other process has not sent yet; 0 if it does not tell, or after the end.
    var unsentOctets: Int { core.unsentOctets }

    func receive() async throws(RadioError) -> [UInt8] { try await core.units.next() }

    func receiveWaiting() async throws(RadioError) -> ArraySlice<[UInt8]> {
        try await core.units.next(atMost: Core.limit)
    }

    var droppedCount: Int { core.channel.droppedCount }

    func send(_ packet: [UInt8]) throws(RadioError) { try core.send(packet) }

    /// Suspends until the other process has sent everything, which waits for the credits of the device. Throws the
    /// reason of the channel's end if that comes before.
    func drained() async throws(RadioError) { try await core.drained() }

    func hangUp(_ reason: RadioError) { core.channel.hangUp(reason) }

    func close() { core.close() }
}

/// What the users of a channel and the task that takes its units share.
private final class Core: Sendable {
    private struct State {
        /// The octets that this side has sent, modulo 2^32.
        var handed: UInt32 = 0
        /// The end of the channel; `nil` while it is open.
        var end: RadioError?
        /// The tasks that wait for the other process.
        var waiters: [AsyncStream<Never>.Continuation] = []
    }

    /// The number of units that wait for their consumer before the device is held back.
    static let limit = 64
    /// The number of units that are taken while somebody waits in `drained`.
    private static let reserve = 16 * limit

    /// The connection to the other process, which carries the units.
    let channel: RemoteChannel
    let units = PacketQueue(limit: limit, overflow: .pauseProducer)
    /// Holds the device back while nobody receives, unless somebody waits in `drained`.
    private let holdBack = ReceiveThrottle()
    /// Behind a lock, because sending and receiving happen in different tasks.
    private let state = Mutex(State())

    init(_ channel: RemoteChannel) { self.channel = channel }

    /// Takes all that comes, until the end of the connection.
    func takeAll() async {
        do throws(RadioError) {
            while true {
                switch try await channel.next() {
                case .data(let unit), .kept(let unit, _): if !units.push(unit) { await untilRoom() }
                case .finished: wake()
                default: break
                }
            }
        } catch {
            end(error)
        }
    }

    /// Returns when units may be taken, or when the task is cancelled.
    private func untilRoom() async {
        if units.count < Self.reserve { return await holdBack.wait(for: units) }
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

    /// The octets that the other process has not sent, or did not send before the end; `nil` if it does not tell.
    private func unsent(_ state: borrowing State) -> Int? {
        guard let sent = channel.finishedCount else { return nil }
        // The answer may come before its octets are counted here: then the difference is below 0 for a moment.
        return max(0, Int(Int32(truncatingIfNeeded: state.handed &- sent)))
    }

    var unsentOctets: Int { state.withLock { $0.end == nil ? unsent($0) ?? 0 : 0 } }

    func send(_ packet: [UInt8]) throws(RadioError) {
        try channel.send(packet)
        state.withLock { $0.handed &+= UInt32(truncatingIfNeeded: packet.count) }
    }

    func drained() async throws(RadioError) {
        holdBack.lift()
        defer { holdBack.restore() }
        // An older process tells only that it has taken the octets.
        if channel.finishedCount == nil {
            try await channel.drained()
            if let end = state.withLock({ $0.end }) { throw end }
            return
        }
        while true {
            let (signal, continuation) = AsyncStream<Never>.makeStream()
            let (isSent, end) = state.withLock { state in
                let isSent = unsent(state) == 0
                if !isSent, state.end == nil { state.waiters.append(continuation) }
                return (isSent, state.end)
            }
            // First, because a device may close the channel as soon as it has everything.
            if isSent { return }
            if let end { throw end }
            for await _ in signal {}
            if Task.isCancelled { throw RadioError(.cancelled, during: "channel") }
        }
    }

    func close() {
        channel.close()
        end(RadioError(.closedLocally, during: "channel"))
    }
}
