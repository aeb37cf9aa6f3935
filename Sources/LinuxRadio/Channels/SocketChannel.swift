// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost
import Synchronization

/// Whole packets over a connected SOCK_SEQPACKET or raw socket: what the HCI and the ATT channel have in common.
///
/// `send` tries the kernel at once, on the caller's thread, and leaves to the I/O thread what there is no room for.
/// Receiving is the I/O thread's: one recv(2) is one packet. All state, the descriptor included, is under one lock, so that
/// no call can reach a descriptor that is being closed; continuations and the queue are called outside of it.
final class SocketChannel: PacketChannel, ReadinessHandler {
    /// What distinguishes one channel from another.
    struct Configuration: Sendable {
        /// What it is, for error messages: `connection to F0:…`.
        var operation: String
        /// For the meaning of errno.
        var phase: SocketPhase
        /// The longest packet to receive, in octets. Of a longer one more than that comes, for the layer above to judge; of
        /// the controller it is the end.
        var receiveLimit: Int
        /// The longest packet to send, in octets.
        var sendLimit: Int
        /// How many received packets wait for the consumer.
        var queueLimit: Int
        /// What happens when there are more.
        var overflow: PacketQueue.Overflow
        /// How many packets wait for the kernel to have room before `send` fails: who sends more awaits `drained`.
        var sendQueueLimit = 4_096
        /// A second opinion on the cause of the channel's end, asked once, on the I/O thread, which it must not block.
        var refine: @Sendable (RadioError) -> RadioError = { $0 }

        /// Whether the kernel or a controller is at the other end: an empty packet is the end then, and one that is too long.
        var isFromThisMachine: Bool { phase == .hci || phase == .management }
    }

    private typealias DrainWaiter = CheckedContinuation<Result<Void, RadioError>, Never>

    private struct State: ~Copyable {
        /// `nil` once the channel has ended.
        var descriptor: OwnedFileDescriptor?
        var registration: IOThread.Registration?
        /// Why the channel ended.
        var end: RadioError?
        /// An error that a call has already taken from the socket, while there may still be packets to receive.
        var pendingError: Errno?
        var outgoing = SendQueue()
        /// Why nothing can be sent any more, while there may still be packets to receive.
        var sendFailure: RadioError?
        /// Whether it was we who ended it for that.
        var isShutDown = false
        var drainWaiters: [Int: DrainWaiter] = [:]
        var lastDrainWaiter = 0
        /// What was received in one call and not looked at yet.
        var inbox: ArraySlice<[UInt8]> = []
        /// Whether the last call has received all that there was.
        var isInboxAll = false
        /// Whether to receive at all for the moment.
        var gate = ReceiveGate()
        /// What the kernel had dropped when the descriptor was closed.
        var kernelDropCount = 0
        /// Receiving waits for the socket to become connected (again), which is told by room to send.
        var awaitsConnection = false
    }

    /// How many packets one channel may receive before the others have their turn.
    private static let packetsPerTurn = 64

    let configuration: Configuration
    private let ioThread: IOThread
    private let received: PacketQueue
    private let state: Mutex<State>

    /// Takes over a connected descriptor and starts to receive.
    init(
        _ descriptor: consuming OwnedFileDescriptor,
        on ioThread: IOThread,
        _ configuration: Configuration
    ) throws(RadioError) {
        self.configuration = configuration
        self.ioThread = ioThread
        received = PacketQueue(limit: configuration.queueLimit, overflow: configuration.overflow)
        state = Mutex(State(descriptor: descriptor))
        received.setOnSpace { [weak self] in self?.resumeReceiving() }
        let error = state.withLock { state -> Errno? in
            do throws(Errno) {
                state.registration = try state.descriptor?.register(on: ioThread, .readable, for: self)
                return nil
            } catch {
                return error
            }
        }
        if let error { throw self.error(error, call: "epoll_ctl") }
    }

    deinit {
        finish(.init(.closedLocally, during: configuration.operation))
    }

    // MARK: - PacketChannel

    func receive() async throws(RadioError) -> [UInt8] { try await received.next() }

    func receiveWaiting() async throws(RadioError) -> ArraySlice<[UInt8]> {
        try await received.next(atMost: Self.packetsPerTurn)
    }

    /// The kernel's drops count as well: neither HCI nor the ATT channel has a flow control that would hold the sender back.
    var droppedCount: Int {
        received.droppedCount + state.withLock { $0.descriptor?.kernelDropCount() ?? $0.kernelDropCount }
    }

    /// Asks the socket something; `nil` once the channel has ended.
    func asking<Answer: Sendable>(_ question: @Sendable (borrowing OwnedFileDescriptor) -> Answer) -> Answer? {
        state.withLock { $0.descriptor?.answering(question) }
    }

    func close() {
        finish(.init(.closedLocally, during: configuration.operation))
    }

    func hangUp(_ reason: RadioError) {
        let (waiters, isEnding) = state.withLock { state -> ([DrainWaiter], Bool) in
            guard state.end == nil, state.sendFailure == nil else { return ([], true) }
            state.sendFailure = reason
            state.outgoing.removeAll()
            // The I/O thread is told of the end, also of the one that we make, and receives what came before it.
            let isHungUp = state.descriptor?.isHungUp() ?? true
            if !isHungUp { state.isShutDown = state.descriptor?.shutDown() ?? true }
            defer { state.drainWaiters.removeAll() }
            return (Array(state.drainWaiters.values), isHungUp || state.isShutDown)
        }
        for waiter in waiters { waiter.resume(returning: .failure(reason)) }
        // Raw HCI sockets cannot be shut down.
        if !isEnding { finish(reason) }
    }

    func send(_ packet: [UInt8]) throws(RadioError) {
        guard packet.count <= configuration.sendLimit else {
            throw RadioError(
                .packetTooLong(packet.count, limit: configuration.sendLimit),
                during: configuration.operation
            )
        }
        let failure = state.withLock { state -> RadioError? in
            if let end = state.end ?? state.sendFailure { return end }
            // Behind what waits already: the order is kept.
            guard state.outgoing.isEmpty else { return enqueue(packet, &state) }
            switch trySend(packet, &state) {
            case .sent: return nil
            case .noRoom: return enqueue(packet, &state)
            case .failed(let error): return error
            }
        }
        if let failure { throw failure }
    }

    func drained() async throws(RadioError) {
        let cancelled = RadioError(.cancelled, during: configuration.operation)
        let id = state.withLock { state in
            state.lastDrainWaiter += 1
            return state.lastDrainWaiter
        }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let immediate = state.withLock { state -> Result<Void, RadioError>? in
                    // Asked under the lock that `onCancel` takes: either it finds the waiter, or the waiter sees this.
                    if Task.isCancelled { return .failure(cancelled) }
                    if let end = state.end ?? state.sendFailure { return .failure(end) }
                    if state.outgoing.isEmpty { return .success(()) }
                    state.drainWaiters[id] = continuation
                    return nil
                }
                if let immediate { continuation.resume(returning: immediate) }
            }
        } onCancel: {
            state.withLock { $0.drainWaiters.removeValue(forKey: id) }?.resume(returning: .failure(cancelled))
        }
        try result.get()
    }

    /// How many packets wait for the kernel to have room.
    var queuedCount: Int { state.withLock { $0.outgoing.count } }

    // MARK: - Sending, under the lock

    private enum SendOutcome {
        case sent
        case noRoom
        case failed(RadioError)
    }

    private func trySend(_ packet: [UInt8], _ state: inout State) -> SendOutcome {
        do throws(Errno) {
            try state.descriptor?.send(packet)
            return .sent
        } catch .wouldBlock {
            return .noRoom
        } catch {
            let isHungUp = state.descriptor?.isHungUp() ?? true
            // The link stands, but security is being raised: the socket is "not connected" until that is done.
            if error == .notConnected, !isHungUp { return .noRoom }
            guard isHungUp else { return .failed(self.error(error, call: "send")) }
            // The call may have taken the socket's error away from the I/O thread, which is about to see the end.
            let reason = error == .brokenPipe ? state.descriptor?.takeError() ?? error : error
            state.pendingError = state.pendingError ?? reason
            return .failed(self.error(state.pendingError ?? reason, call: "send"))
        }
    }

    private func enqueue(_ packet: [UInt8], _ state: inout State) -> RadioError? {
        guard state.outgoing.count < configuration.sendQueueLimit else {
            return RadioError(.system(call: "send", errno: "ENOBUFS"), during: configuration.operation)
        }
        state.outgoing.append(packet)
        updateInterest(&state)
        return nil
    }

    private func updateInterest(_ state: inout State) {
        guard let registration = state.registration else { return }
        var interest: Readiness = []
        if !state.gate.isPaused, !state.awaitsConnection { interest.formUnion(.readable) }
        if !state.outgoing.isEmpty || state.awaitsConnection { interest.formUnion(.writable) }
        ioThread.change(registration, to: interest)
    }

    // MARK: - On the I/O thread

    func ready(_ readiness: Readiness) {
        let isEnding = !readiness.isDisjoint(with: [.hungUp, .failed])
        if isEnding || readiness.contains(.writable) { sendQueued() }
        receiveAll(isEnding: isEnding)
    }

    func ioThreadEnded(_ reason: IOThread.End) {
        switch reason {
        case .stopped: finish(.init(.closedLocally, during: configuration.operation))
        case .failed(let error): finish(self.error(error, call: "epoll_wait"))
        }
    }

    private func sendQueued() {
        let (waiters, failure) = state.withLock { state -> ([DrainWaiter], RadioError?) in
            state.awaitsConnection = false
            var failure: RadioError?
            loop: while let packet = state.outgoing.first {
                switch trySend(packet, &state) {
                case .sent: state.outgoing.removeFirst()
                case .noRoom: break loop
                case .failed(let error):
                    // `send` took it, so nobody else will tell that it never left.
                    failure = error
                    state.outgoing.removeAll()
                }
            }
            updateInterest(&state)
            guard state.outgoing.isEmpty else { return ([], nil) }
            defer { state.drainWaiters.removeAll() }
            return (Array(state.drainWaiters.values), failure)
        }
        for waiter in waiters { waiter.resume(returning: failure.map { .failure($0) } ?? .success(())) }
        if let failure { hangUp(failure) }
    }

    private enum ReceiveOutcome {
        case packet([UInt8])
        case nothing
        case end(RadioError)
    }

    /// Receives what there is, and wakes the consumer once for all of it.
    private func receiveAll(isEnding: Bool) {
        var packets: [[UInt8]] = []
        let end = state.withLock { state -> RadioError? in
            state.isInboxAll = false
            while packets.count < Self.packetsPerTurn {
                switch receiveOne(&state, isEnding: isEnding) {
                case .packet(let packet): packets.append(packet)
                case .nothing: return nil
                case .end(let error): return error
                }
            }
            return nil
        }
        if !received.push(contentsOf: packets) { pauseReceiving(isEnding: isEnding) }
        if let end { finish(configuration.refine(end)) }
    }

    private func receiveOne(_ state: inout State, isEnding: Bool) -> ReceiveOutcome {
        guard !state.gate.isPaused else {
            // Level-triggered, epoll reports a hang-up again and again, whatever was asked for: ask for nothing.
            if isEnding, let registration = state.registration { ioThread.mute(registration) }
            return .nothing
        }
        // An error comes before the packets that the kernel still has: it is kept, and those are received first.
        for _ in 0..<2 {
            state.gate.receiving()
            do throws(Errno) {
                guard let packet = try nextPacket(&state, isEnding: isEnding) else { return .nothing }
                if configuration.isFromThisMachine, packet.count > configuration.receiveLimit {
                    return .end(self.error(.messageTooLong, call: "recv"))
                }
                if !packet.isEmpty { return .packet(packet) }
                // Nothing is the end, or a packet without content, which is for the layer above to judge.
                let isHungUp = state.pendingError != nil || state.descriptor?.isHungUp() ?? true
                let isLast = state.inbox.allSatisfy(\.isEmpty) && !(state.descriptor?.hasUnread() ?? false)
                let isEnd = configuration.isFromThisMachine || isHungUp && isLast
                return isEnd ? .end(endError(&state)) : .packet(packet)
            } catch .wouldBlock {
                let isEnd = state.pendingError != nil || isEnding && state.descriptor?.isHungUp() ?? true
                return isEnd ? .end(endError(&state)) : .nothing
            } catch {
                if error == .notConnected, !(state.descriptor?.isHungUp() ?? true) {
                    // Pairing: nothing can be received now, though epoll may say so without pause.
                    state.awaitsConnection = true
                    updateInterest(&state)
                    return .nothing
                }
                guard state.pendingError == nil else { return .end(endError(&state)) }
                state.pendingError = error
            }
        }
        return .nothing
    }

    /// The next packet, of a call that brings several; `nil` where there is no more for the moment.
    private func nextPacket(_ state: inout State, isEnding: Bool) throws(Errno) -> [UInt8]? {
        if state.inbox.isEmpty {
            // Where there is an end, an error may have stood between packets: the kernel is asked to the last.
            guard !state.isInboxAll || isEnding || state.pendingError != nil else { throw .wouldBlock }
            guard let packets = try state.descriptor?.receiveSeveral(limit: configuration.receiveLimit) else {
                return nil
            }
            state.isInboxAll = packets.count < OwnedFileDescriptor.mostPackets
            state.inbox = packets[...]
        }
        return state.inbox.popFirst()
    }

    /// Why the socket ended: why we have ended it, else what a call was told, else what the socket knows, else that the other
    /// end is gone.
    private func endError(_ state: inout State) -> RadioError {
        if state.isShutDown || state.pendingError == nil, let failure = state.sendFailure { return failure }
        let reason = state.pendingError ?? state.descriptor?.takeError() ?? .brokenPipe
        return error(reason, call: "recv")
    }

    /// Receives no more, unless the consumer has made room in the meantime.
    private func pauseReceiving(isEnding: Bool) {
        state.withLock { state in
            guard state.gate.queueFilled() else { return }
            updateInterest(&state)
            if isEnding, let registration = state.registration { ioThread.mute(registration) }
        }
    }

    // MARK: - From anywhere

    private func resumeReceiving() {
        state.withLock { state in
            guard state.gate.roomMade() else { return }
            updateInterest(&state)
        }
    }

    /// Ends the channel, once: the first reason is everyone's reason.
    func finish(_ error: RadioError) {
        let waiters = state.withLock { state -> [DrainWaiter] in
            guard state.end == nil else { return [] }
            state.end = error
            if let registration = state.registration { ioThread.remove(registration) }
            state.registration = nil
            state.kernelDropCount = state.descriptor?.kernelDropCount() ?? 0
            state.descriptor = nil
            state.outgoing.removeAll()
            defer { state.drainWaiters.removeAll() }
            return Array(state.drainWaiters.values)
        }
        received.finish(error)
        for waiter in waiters { waiter.resume(returning: .failure(error)) }
    }

    private func error(_ error: Errno, call: String) -> RadioError {
        RadioError(error, in: configuration.phase, call: call, during: configuration.operation)
    }
}
