// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost
import Synchronization

/// Whole packets over a connected SOCK_SEQPACKET or raw socket: the common part of HCI, management and ATT channels.
///
/// `send` calls the kernel on the caller's thread, and leaves packets that the kernel has no room for to the I/O
/// thread. Only the I/O thread receives; each message of the kernel is one packet. One lock guards all state, the
/// descriptor included, so that no call uses a descriptor that is being closed. Continuations are resumed, and the
/// queue is called, without the lock.
final class SocketChannel: PacketChannel, ReadinessHandler {
    /// The properties in which channels differ.
    struct Configuration: Sendable {
        /// The name of the channel in error messages: `connection to F0:…`.
        var operation: String
        /// The phase that decides the meaning of an errno.
        var phase: SocketPhase
        /// The longest packet to receive, in octets. A longer packet from a peer is cut to one octet more than that, so
        /// that the layer above recognizes it; from a controller it ends the channel.
        var receiveLimit: Int
        /// The longest packet to send, in octets.
        var sendLimit: Int
        /// The number of received packets that wait for the consumer.
        var queueLimit: Int
        /// The reaction when more packets arrive.
        var overflow: PacketQueue.Overflow
        /// The number of packets that wait for room in the kernel before `send` fails. Fast senders await `drained`.
        var sendQueueLimit = 4_096
        /// The number of packets that one call receives, for which it has to have room.
        var packetsPerCall = OwnedFileDescriptor.mostPackets
        /// Whether the kernel drops packets for which its buffer has no room. Otherwise it holds the sender back.
        var countsKernelDrops = true
        /// Replaces the cause of the channel's end by a better one. Called once, on the I/O thread, which it must not
        /// block.
        var refine: @Sendable (RadioError) -> RadioError = { $0 }

        /// Whether the other end is the kernel or a controller. An empty or too long packet then means the end.
        var isFromThisMachine: Bool { phase == .hci || phase == .management }
    }

    private struct State: ~Copyable, WaitedState {
        /// `nil` once the channel has ended.
        var descriptor: OwnedFileDescriptor?
        var registration: IOThread.Registration?
        var end: RadioError?
        /// An error that a call has taken from the socket while packets may still wait in the kernel.
        var pendingError: Errno?
        var outgoing = SendQueue()
        /// The reason why sending fails, while packets may still wait in the kernel.
        var sendFailure: RadioError?
        /// Whether this side has ended the connection for that reason.
        var isShutDown = false
        var waiters = DrainWaiters()
        /// Packets that the last call received and that are not processed yet.
        var inbox: ArraySlice<[UInt8]> = []
        /// Whether the last call has emptied the kernel's buffer.
        var isInboxAll = false
        var gate = ReceiveGate()
        /// The number of packets that the kernel had dropped when the descriptor was closed.
        var kernelDropCount = 0
        /// Whether receiving waits until the socket is connected again, which epoll reports as room to send.
        var awaitsConnection = false
        /// Whether the kernel has suspended the connection to raise its security. The end of that is room to send.
        var isSuspended = false

        /// Success if no packet waits, the reason if none will be sent any more; `nil` while some wait.
        var drainage: Result<Void, RadioError>? {
            if let end = end ?? sendFailure { return .failure(end) }
            return outgoing.isEmpty && !isSuspended ? .success(()) : nil
        }
    }

    /// The number of packets that one channel receives before other channels get their turn.
    private static let packetsPerTurn = 64

    let configuration: Configuration
    private let ioThread: IOThread
    private let received: PacketQueue
    private let state: Mutex<State>

    /// Takes over a connected descriptor, and starts to receive.
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
        // Under the lock, because the I/O thread may report the descriptor before its registration is stored.
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

    /// Includes the kernel's drops: neither HCI nor the ATT channel has flow control that would hold the sender back.
    var droppedCount: Int {
        guard configuration.countsKernelDrops else { return received.droppedCount }
        return received.droppedCount + state.withLock { $0.descriptor?.kernelDropCount() ?? $0.kernelDropCount }
    }

    /// Asks the socket a question; `nil` if the channel has ended.
    func asking<Answer: Sendable>(_ question: @Sendable (borrowing OwnedFileDescriptor) -> Answer) -> Answer? {
        state.withLock { $0.descriptor?.answering(question) }
    }

    func close() {
        finish(.init(.closedLocally, during: configuration.operation))
    }

    /// Ends the channel after the packets that have arrived. Waiters for room are resumed at once, because nothing is
    /// sent any more.
    func hangUp(_ reason: RadioError) {
        let (waiters, isEnding) = state.withLock { state -> (DrainWaiters, Bool) in
            guard state.end == nil, state.sendFailure == nil else { return (.init(), true) }
            state.sendFailure = reason
            state.outgoing.removeAll()
            // The I/O thread sees the end, also the one made here, after it has received the packets before it.
            let isHungUp = state.descriptor?.isHungUp() ?? true
            if !isHungUp { state.isShutDown = state.descriptor?.shutDown() ?? true }
            return (state.waiters.takeAll(), isHungUp || state.isShutDown)
        }
        waiters.resume(returning: .failure(reason))
        // shutdown(2) fails on raw HCI sockets, so that no end would be reported.
        if !isEnding { finish(reason) }
    }

    /// Sends a packet, or queues it if the socket has no room. Never waits, so that a caller cannot be suspended
    /// between a state change and the packet that follows from it.
    func send(_ packet: [UInt8]) throws(RadioError) {
        guard packet.count <= configuration.sendLimit else {
            throw RadioError(
                .packetTooLong(packet.count, limit: configuration.sendLimit),
                during: configuration.operation
            )
        }
        let failure = state.withLock { state -> RadioError? in
            if let end = state.end ?? state.sendFailure { return end }
            // A packet must not overtake those that wait already.
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
        try await state.answer(ifCancelled: .failure(cancelled)) { $0.drainage }.get()
    }

    /// Makes a change of the socket for which the kernel suspends the connection. `drained` waits for the end of that.
    /// Returns `false` if the change returns `false`: the kernel has refused it.
    func suspend(_ change: @Sendable (borrowing OwnedFileDescriptor) -> Bool) throws(RadioError) -> Bool {
        let result = state.withLock { state -> Result<Bool, RadioError> in
            if let end = state.end ?? state.sendFailure { return .failure(end) }
            guard state.descriptor?.answering(change) == true else { return .success(false) }
            state.isSuspended = true
            updateInterest(&state)
            return .success(true)
        }
        return try result.get()
    }

    /// The number of packets that wait for room in the kernel.
    var queuedCount: Int { state.withLock { $0.outgoing.count } }

    // MARK: - Sending, under the lock

    private enum SendOutcome {
        case sent
        case noRoom
        case failed(RadioError)
    }

    /// Tries to send one packet. An error of the socket is kept in the state, because the kernel reports it only
    /// once.
    private func trySend(_ packet: [UInt8], _ state: inout State) -> SendOutcome {
        do throws(Errno) {
            try state.descriptor?.send(packet)
            return .sent
        } catch .wouldBlock {
            return .noRoom
        } catch {
            let isHungUp = state.descriptor?.isHungUp() ?? true
            // While security is raised, the kernel reports ENOTCONN although the link exists.
            if error == .notConnected, !isHungUp { return .noRoom }
            guard isHungUp else { return .failed(self.error(error, call: "send")) }
            // Only one call gets the socket's error. If it was this one, the I/O thread will see the end without a
            // reason.
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
        if !state.outgoing.isEmpty || state.awaitsConnection || state.isSuspended { interest.formUnion(.writable) }
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

    /// Sends the queue when the socket has room again, and resumes the waiters once the queue is empty.
    private func sendQueued() {
        let (waiters, failure) = state.withLock { state -> (DrainWaiters, RadioError?) in
            state.awaitsConnection = false
            if state.isSuspended {
                // At the end of the channel its reason resumes the waiters.
                guard state.descriptor?.hasRoom() ?? false else { return (.init(), nil) }
                state.isSuspended = false
            }
            var failure: RadioError?
            loop: while let packet = state.outgoing.first {
                switch trySend(packet, &state) {
                case .sent: state.outgoing.removeFirst()
                case .noRoom: break loop
                case .failed(let error):
                    // `send` has accepted these packets, so that only the channel's end can report that they were not
                    // sent.
                    failure = error
                    state.outgoing.removeAll()
                }
            }
            updateInterest(&state)
            guard state.outgoing.isEmpty else { return (.init(), nil) }
            return (state.waiters.takeAll(), failure)
        }
        waiters.resume(returning: failure.map { .failure($0) } ?? .success(()))
        if let failure { hangUp(failure) }
    }

    private enum ReceiveOutcome {
        case packet([UInt8])
        case nothing
        case end(RadioError)
    }

    /// Receives the waiting packets, and wakes the consumer once for all of them, because each wake-up costs a task
    /// switch.
    private func receiveAll(isEnding: Bool) {
        var packets: [[UInt8]] = []
        let end = state.withLock { state -> RadioError? in
            // A new report: the kernel may have packets again.
            state.isInboxAll = false
            // All that a call has received, because epoll reports only what the kernel still has.
            while packets.count < Self.packetsPerTurn || !state.inbox.isEmpty {
                switch receiveOne(&state, isEnding: isEnding) {
                case .packet(let packet): packets.append(packet)
                case .nothing: return nil
                case .end(let error): return error
                }
            }
            return nil
        }
        if !received.push(contentsOf: packets) { pauseReceiving(isEnding: isEnding) }
        // After the push, so that the consumer gets the packets before the end.
        if let end { finish(configuration.refine(end)) }
    }

    /// Receives one packet, or finds the end. An error counts as the end only when no earlier packet is left.
    private func receiveOne(_ state: inout State, isEnding: Bool) -> ReceiveOutcome {
        guard !state.gate.isPaused else {
            // epoll is level-triggered and reports a hang-up again and again, even without interest. So the
            // registration is muted.
            if isEnding, let registration = state.registration { ioThread.mute(registration) }
            return .nothing
        }
        // recv(2) returns a pending error before the packets that arrived earlier: the error is kept, and they come
        // first.
        for _ in 0..<2 {
            state.gate.receiving()
            do throws(Errno) {
                guard let packet = try nextPacket(&state, isEnding: isEnding) else { return .nothing }
                if configuration.isFromThisMachine, packet.count > configuration.receiveLimit {
                    return .end(self.error(.messageTooLong, call: "recv"))
                }
                if !packet.isEmpty { return .packet(packet) }
                // No octets mean the end, or an empty packet from the peer, which the layer above has to judge.
                let isHungUp = state.pendingError != nil || state.descriptor?.isHungUp() ?? true
                let isLast = state.inbox.allSatisfy(\.isEmpty) && !(state.descriptor?.hasUnread() ?? false)
                let isEnd = configuration.isFromThisMachine || isHungUp && isLast
                return isEnd ? .end(endError(&state)) : .packet(packet)
            } catch .wouldBlock {
                let isEnd = state.pendingError != nil || isEnding && state.descriptor?.isHungUp() ?? true
                return isEnd ? .end(endError(&state)) : .nothing
            } catch {
                if error == .notConnected, !(state.descriptor?.isHungUp() ?? true) {
                    // The link is being paired: nothing can be received, but epoll reports the socket as readable
                    // without pause.
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

    /// The next packet out of those that one call received; `nil` if the channel has no descriptor any more.
    private func nextPacket(_ state: inout State, isEnding: Bool) throws(Errno) -> [UInt8]? {
        if state.inbox.isEmpty {
            // Before the end, an error may hide packets after it. So the kernel is asked until nothing is left.
            guard !state.isInboxAll || isEnding || state.pendingError != nil else { throw .wouldBlock }
            guard
                let packets = try state.descriptor?.receiveSeveral(
                    limit: configuration.receiveLimit,
                    most: configuration.packetsPerCall
                )
            else {
                return nil
            }
            state.isInboxAll = packets.count < configuration.packetsPerCall
            state.inbox = packets[...]
        }
        return state.inbox.popFirst()
    }

    /// The reason of the end, in this order: this side's own reason, the error that a call returned, the error of the
    /// socket, or that the other end is gone.
    private func endError(_ state: inout State) -> RadioError {
        if state.isShutDown || state.pendingError == nil, let failure = state.sendFailure { return failure }
        let reason = state.pendingError ?? state.descriptor?.takeError() ?? .brokenPipe
        return error(reason, call: "recv")
    }

    /// Pauses receiving, unless the consumer has made room meanwhile.
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

    /// Ends the channel. Only the first call has an effect, so that all callers see the same reason.
    func finish(_ error: RadioError) {
        let waiters = state.withLock { state -> DrainWaiters in
            guard state.end == nil else { return .init() }
            state.end = error
            // Before the descriptor is closed, because its number may be reused at once.
            if let registration = state.registration { ioThread.remove(registration) }
            state.registration = nil
            if configuration.countsKernelDrops { state.kernelDropCount = state.descriptor?.kernelDropCount() ?? 0 }
            state.descriptor = nil
            state.outgoing.removeAll()
            return state.waiters.takeAll()
        }
        received.finish(error)
        waiters.resume(returning: .failure(error))
    }

    private func error(_ error: Errno, call: String) -> RadioError {
        RadioError(error, in: configuration.phase, call: call, during: configuration.operation)
    }
}
