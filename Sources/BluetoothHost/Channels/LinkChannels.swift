// SPDX-License-Identifier: MIT

package import Bluetooth
import Synchronization

/// The direction of a link in which its owner sends.
package protocol FrameLine: Sendable {
    /// Hands a frame over. Called with the lock of the channels held, so that it must not call them.
    ///
    /// - Parameter now: The time, which not every line looks at.
    func send(_ frame: L2CAPFrame, now: @autoclosure () -> Instant)

    /// Suspends until there is room for more frames.
    func drained() async
}

/// The credit-based channels at one end of a link. The core's state machine decides everything; this class carries out
/// its actions.
package final class LinkChannels: Sendable {
    package struct Opened: Sendable {
        /// The number of the channel at this end.
        package let number: L2CAPChannelID
        /// The service that the channel belongs to.
        package let spsm: SPSM
        package let own: CreditBasedLimits
        package let peer: CreditBasedLimits
        /// The received units. Its identity also distinguishes the channel from a later one with the same number.
        package let queue: PacketQueue
    }

    /// Takes over a channel that the other end opens. Called without the lock.
    package typealias Accept = @Sendable (Opened) -> Void

    private enum Outcome: Sendable {
        /// The other end has accepted it.
        case opened(Opened)
        /// It was refused, or the link has ended.
        case failed(RadioError.Cause)
    }

    private struct Observer {
        let handle: UInt16
        /// The channel with which it ends; `nil` for the end of the link.
        var channel: L2CAPChannelID?
        let see: FrameObserver
    }

    private struct State {
        /// The state machine of the core, which decides about every frame.
        var machine = CreditBasedChannels()
        /// The handlers of channels that the other end opens, by service.
        var services: [SPSM: Accept] = [:]
        /// The channels that the other end has just opened, with the handlers that are to take them over.
        var arrived: [(accept: Accept, channel: Opened)] = []
        /// The requests of this end that have no answer yet, by the number of the channel.
        var pending: [L2CAPChannelID: AsyncStream<Outcome>.Continuation] = [:]
        /// The received units of each open channel.
        var queues: [L2CAPChannelID: PacketQueue] = [:]
        var senders: [L2CAPChannelID: [AsyncStream<Never>.Continuation]] = [:]
        var observers: [Observer] = []
        /// Why the link has ended; `nil` while it is open.
        var end: RadioError?
    }

    /// The largest frame that such a host receives: the payload of a packet with data length extension, without
    /// the header.
    private static let mps: UInt16 = 247
    /// More units than can ever wait, because credits hold the peer back first.
    private static let queueLimit = 1 << 17

    /// The direction that this end sends in.
    private let line: any FrameLine
    private let operation: String
    private let leastWindow: UInt16
    /// The state, which both directions and all users of the channels share.
    private let state = Mutex(State())

    /// Creates the end of a link without channels.
    ///
    /// - Parameters:
    ///   - packetLength: The octets that a packet to the controller carries; `nil` if there are no such packets.
    ///   - leastWindow: The credits that a channel gives at least.
    package init(
        sendingOn line: any FrameLine,
        during operation: String,
        packetLength: Int? = nil,
        leastWindow: UInt16 = 0
    ) {
        self.line = line
        self.operation = operation
        self.leastWindow = leastWindow
        state.withLock { $0.machine.packetLength = packetLength }
    }

    package static func limits(mtu: UInt16) -> CreditBasedLimits { CreditBasedLimits(mtu: mtu, mps: mps) }

    /// What this end announces for channels whose units have so many octets.
    package func announcement(mtu: UInt16) -> ChannelOffer {
        let limits = Self.limits(mtu: mtu)
        return ChannelOffer(limits: limits, window: max(leastWindow, CreditBasedChannel.usualWindow(limits)))
    }

    /// Whether no channel is open, being opened or being closed.
    package var isIdle: Bool { state.withLock { $0.machine.isIdle } }

    /// Whether a channel is open, or is being opened for somebody who waits.
    package var isInUse: Bool { state.withLock { $0.machine.isInUse } }

    /// Whether all channels are of one service, and none is being closed.
    package func areOnly(_ spsm: SPSM) -> Bool { state.withLock { $0.machine.areOnly(spsm) } }

    /// Shows all frames of this end from now on.
    package func observe(_ observer: @escaping FrameObserver, handle: ConnectionHandle) {
        state.withLock { $0.observers.append(Observer(handle: handle.rawValue, see: observer)) }
    }

    /// The same, unless they are shown already: a program sees each frame once.
    package func observeOnce(_ observer: @escaping FrameObserver, handle: ConnectionHandle) {
        state.withLock { state in
            guard state.observers.allSatisfy({ $0.channel != nil }) else { return }
            state.observers.append(Observer(handle: handle.rawValue, see: observer))
        }
    }

    /// Shows a frame, with the lock held. All channels are opened by one program, which sees each frame once.
    private func show(_ frame: L2CAPFrame, isSent: Bool, _ state: borrowing State) {
        var isShownToOpener = false
        for observer in state.observers {
            if observer.channel != nil {
                guard !isShownToOpener else { continue }
                isShownToOpener = true
            }
            observer.see(ObservedFrame(frame, isSent: isSent, connectionHandle: observer.handle))
        }
    }

    // MARK: - Services

    /// Offers a service to the other end. Does nothing if there is one already.
    package func offer(_ service: ChannelOffer, at spsm: SPSM, accept: @escaping Accept) {
        state.withLock { state in
            guard state.machine.offer(service, at: spsm) else { return }
            state.services[spsm] = accept
        }
    }

    package func withdraw(_ spsm: SPSM) {
        state.withLock { state in
            state.machine.withdraw(spsm)
            state.services[spsm] = nil
        }
    }

    // MARK: - Channels

    /// Opens a channel to the other end.
    ///
    /// - Parameter observer: Sees all frames of this end as long as the channel lasts.
    package func open(
        _ request: L2CAPRequest,
        deadline: Instant,
        _ time: any TimeSource,
        shownTo observer: (handle: ConnectionHandle, see: FrameObserver)? = nil
    ) async throws(RadioError) -> Opened {
        let service = announcement(mtu: request.mtu)
        // One outcome is kept, because it may come before the loop below waits for it.
        let (outcomes, continuation) = AsyncStream<Outcome>.makeStream(bufferingPolicy: .bufferingOldest(1))
        let attempt = state.withLock { state -> Result<L2CAPChannelID, RadioError> in
            if let end = state.end { return .failure(end) }
            guard let (number, actions) = state.machine.connect(to: request.spsm, service) else {
                return .failure(RadioError(.tooManyConnections, during: operation))
            }
            state.pending[number] = continuation
            if let observer {
                state.observers.append(
                    Observer(handle: observer.handle.rawValue, channel: number, see: observer.see)
                )
            }
            perform(actions, &state, now: time.now)
            return .success(number)
        }
        return try await opened(try attempt.get(), outcomes, deadline, time)
    }

    /// Opens several enhanced channels to the other end with one request, five at most. Returns those that the other end
    /// accepts; throws the reason if it accepts none.
    package func openEnhanced(
        _ request: L2CAPRequest,
        count: Int,
        deadline: Instant,
        _ time: any TimeSource
    ) async throws(RadioError) -> [Opened] {
        var service = announcement(mtu: request.mtu)
        service.isEnhanced = true
        let attempt = state.withLock { state -> Result<[(L2CAPChannelID, AsyncStream<Outcome>)], RadioError> in
            if let end = state.end { return .failure(end) }
            let (numbers, actions) = state.machine.connect(to: request.spsm, service, count: count)
            guard !numbers.isEmpty else { return .failure(RadioError(.tooManyConnections, during: operation)) }
            let outcomes = numbers.map { number in
                let (outcomes, continuation) = AsyncStream<Outcome>.makeStream(bufferingPolicy: .bufferingOldest(1))
                state.pending[number] = continuation
                return (number, outcomes)
            }
            perform(actions, &state, now: time.now)
            return .success(outcomes)
        }
        var channels: [Opened] = []
        var failure: RadioError?
        for (number, outcomes) in try attempt.get() {
            do throws(RadioError) {
                channels.append(try await opened(number, outcomes, deadline, time))
            } catch {
                failure = error
            }
        }
        if let failure, channels.isEmpty || failure.cause == .cancelled {
            for channel in channels { close(channel, now: time.now) }
            throw failure
        }
        return channels
    }

    /// Waits for the answer to the request for a channel.
    private func opened(
        _ number: L2CAPChannelID,
        _ outcomes: AsyncStream<Outcome>,
        _ deadline: Instant,
        _ time: any TimeSource
    ) async throws(RadioError) -> Opened {
        let outcome: Outcome?
        do {
            outcome = try await withDeadline(deadline, time, operation: operation) {
                for await outcome in outcomes { return outcome }
                return nil
            }
        } catch {
            abandon(number, now: time.now)
            let cause: RadioError.Cause = error is DeadlineExceeded ? .connectTimedOut : .cancelled
            throw RadioError(cause, during: operation)
        }
        switch outcome {
        case .opened(let channel)?: return channel
        case .failed(let cause)?: throw RadioError(cause, during: operation)
        case nil:
            // Nothing finishes the stream, so that it ends without an outcome only if this task is cancelled.
            abandon(number, now: time.now)
            throw RadioError(.cancelled, during: operation)
        }
    }

    /// Gives up a request. The peer may have accepted it by now, and then its channel is closed.
    private func abandon(_ number: L2CAPChannelID, now: @autoclosure () -> Instant) {
        state.withLock { state in
            // The channel may have opened just before it was abandoned.
            state.queues[number] = nil
            state.pending[number] = nil
            perform(state.machine.close(number), &state, now: now())
        }
    }

    /// Sends a unit; `false` if the channel has ended.
    package func send(_ unit: [UInt8], on channel: Opened, now: @autoclosure () -> Instant) -> Bool {
        state.withLock { state in
            guard state.queues[channel.number] === channel.queue else { return false }
            perform(state.machine.send(unit, on: channel.number), &state, now: now())
            return true
        }
    }

    /// The state of an open channel; `nil` if it has ended.
    package func present(_ channel: Opened) -> CreditBasedChannel? {
        state.withLock { state in
            guard state.queues[channel.number] === channel.queue else { return nil }
            return state.machine.channel(channel.number)
        }
    }

    /// Suspends until no unit waits for credits and the controller has room, or the channel has ended.
    package func drained(_ channel: Opened) async {
        let (signal, continuation) = AsyncStream<Never>.makeStream()
        state.withLock { state in
            let number = channel.number
            let isOpen = state.queues[number] === channel.queue
            let waits = isOpen && (state.machine.channel(number)?.waitingUnits ?? 0) > 0
            if waits { state.senders[number, default: []].append(continuation) } else { continuation.finish() }
        }
        for await _ in signal {}
        await line.drained()
    }

    package func taken(_ count: Int, on channel: Opened, now: @autoclosure () -> Instant) {
        state.withLock { state in
            guard state.queues[channel.number] === channel.queue else { return }
            for _ in 0..<count { perform(state.machine.unitTaken(on: channel.number), &state, now: now()) }
        }
    }

    package func close(_ channel: Opened, now: @autoclosure () -> Instant) {
        state.withLock { state in
            guard state.queues[channel.number] === channel.queue else { return }
            state.queues[channel.number] = nil
            perform(state.machine.close(channel.number), &state, now: now())
        }
        channel.queue.finish(RadioError(.closedLocally, during: operation))
    }

    // MARK: - The link

    package func received(_ frame: L2CAPFrame, security: LinkSecurity, now: @autoclosure () -> Instant) {
        let arrived = state.withLock { state -> [(accept: Accept, channel: Opened)] in
            guard state.end == nil else { return [] }
            show(frame, isSent: false, state)
            perform(state.machine.receivedAny(frame, security: security), &state, now: now())
            // After the frame that has ended a channel.
            let machine = state.machine
            state.observers.removeAll { $0.channel.map { !machine.isUsed($0) } ?? false }
            defer { state.arrived = [] }
            return state.arrived
        }
        // Without the lock, because a channel that nobody keeps closes itself, and takes the lock for that.
        for (accept, channel) in arrived { accept(channel) }
    }

    /// The link has ended. Only the first call has an effect.
    package func end(_ error: RadioError) {
        state.withLock { state in
            guard state.end == nil else { return }
            state.end = error
            state.machine = CreditBasedChannels()
            for queue in state.queues.values { queue.finish(error) }
            for outcome in state.pending.values { outcome.yield(.failed(error.cause)) }
            state.queues = [:]
            state.pending = [:]
            wakeSenders(&state)
            state.observers = []
            state.services = [:]
        }
    }

    /// Carries out the actions of the machine in their order, with the lock held.
    private func perform(_ actions: [CreditBasedChannels.Action], _ state: inout State, now: @autoclosure () -> Instant)
    {
        for action in actions {
            switch action {
            case .send(let frame):
                show(frame, isSent: true, state)
                line.send(frame, now: now())
            case .opened(let number, let spsm, let peer, let byPeer):
                // Nothing is dropped: a credit-based channel loses no units, and credits bound the queue.
                let queue = PacketQueue(limit: Self.queueLimit, overflow: .pauseProducer)
                state.queues[number] = queue
                guard let own = state.machine.channel(number)?.own else { continue }
                let opened = Opened(number: number, spsm: spsm, own: own, peer: peer, queue: queue)
                if byPeer {
                    if let accept = state.services[spsm] { state.arrived.append((accept, opened)) }
                } else {
                    state.pending.removeValue(forKey: number)?.yield(.opened(opened))
                }
            case .refused(let number, let result):
                state.pending.removeValue(forKey: number)?.yield(.failed(.channelRefused(result)))
            case .notUnderstood(let number):
                state.pending.removeValue(forKey: number)?.yield(.failed(.unsupported))
            case .deliver(let unit, let number):
                state.queues[number]?.push(unit)
            case .closed(let number, let fault):
                let cause = fault.map { RadioError.Cause.channelMisused("\($0)") } ?? .closedByPeer(nil)
                state.pending.removeValue(forKey: number)?.yield(.failed(cause))
                state.queues.removeValue(forKey: number)?.finish(RadioError(cause, during: operation))
            }
        }
        wakeSenders(&state)
    }

    /// Wakes the senders whose units have gone out, and those whose channel has ended.
    private func wakeSenders(_ state: inout State) {
        for (number, waiters) in state.senders {
            guard state.queues[number] == nil || (state.machine.channel(number)?.waitingUnits ?? 0) == 0 else {
                continue
            }
            state.senders[number] = nil
            for waiter in waiters { waiter.finish() }
        }
    }
}
