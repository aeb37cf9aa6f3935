// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost
import CBlueZ
import Glibc
import Synchronization

/// The octets of a stream: a connected socket of SOCK_STREAM, or another descriptor without borders between packets.
///
/// `receive` gives the octets as they come, in pieces of any length; what is sent is appended to the stream whole. The
/// locking is that of `SocketChannel`: one lock guards all state, and queues are filled without it.
final class StreamChannel: PacketChannel, ReadinessHandler {
    enum Kind {
        case socket
        /// A socket of TCP. Many controllers send a packet in two parts, and the second one not before the first one was
        /// acknowledged, which Linux puts off for 40 ms (tcp(7), TCP_QUICKACK).
        case tcp
        /// A serial port or a pipe.
        case file
    }

    private struct State: ~Copyable, WaitedState {
        /// `nil` once the channel has ended.
        var descriptor: OwnedFileDescriptor?
        var registration: IOThread.Registration?
        var end: RadioError?
        /// The reason why nothing is sent any more, while octets may still come.
        var sendFailure: RadioError?
        /// Packets for which the kernel had no room, the first perhaps in part.
        var outgoing = SendQueue()
        /// The number of octets of the first packet that are sent.
        var sentOctets = 0
        var gate = ReceiveGate()
        var waiters = DrainWaiters()

        /// Success if no packet waits, the reason if none will be sent any more; `nil` while some wait.
        var drainage: Result<Void, RadioError>? {
            if let end = end ?? sendFailure { return .failure(end) }
            return outgoing.isEmpty ? .success(()) : nil
        }
    }

    /// The number of octets that one call receives.
    private static let pieceLength = 16_384
    /// The number of pieces that wait for a slow consumer. Beyond it the sender is held back.
    private static let queueLimit = 64
    /// The number of packets that wait for room in the kernel before `send` fails.
    private static let sendQueueLimit = 4_096

    private let operation: String
    private let kind: Kind
    private let ioThread: IOThread
    private let received = PacketQueue(limit: queueLimit, overflow: .pauseProducer)
    private let state: Mutex<State>

    /// Takes over a connected descriptor that does not block, and starts to receive.
    init(
        _ descriptor: consuming OwnedFileDescriptor,
        of kind: Kind = .socket,
        during operation: String,
        on ioThread: IOThread
    ) throws(RadioError) {
        self.operation = operation
        self.kind = kind
        self.ioThread = ioThread
        state = Mutex(State(descriptor: descriptor))
        received.setOnSpace { [weak self] in self?.resumeReceiving() }
        try RadioError.translating(.transport, "epoll_ctl", during: operation) { () throws(Errno) in
            // Under the lock, because the I/O thread may report the descriptor before its registration is stored.
            try state.withLock { state throws(Errno) in
                state.registration = try state.descriptor?.register(on: ioThread, .readable, for: self)
            }
        }
    }

    deinit { close() }

    // MARK: - PacketChannel

    /// Nothing is lost: a full queue holds the sender back.
    var droppedCount: Int { 0 }

    func receive() async throws(RadioError) -> [UInt8] { try await received.next() }

    func receiveWaiting() async throws(RadioError) -> ArraySlice<[UInt8]> {
        try await received.next(atMost: Self.queueLimit)
    }

    func send(_ packet: [UInt8]) throws(RadioError) {
        let failure = state.withLock { state -> RadioError? in
            if let end = state.end ?? state.sendFailure { return end }
            guard state.outgoing.count < Self.sendQueueLimit else {
                return RadioError(.system(call: "send", errno: "ENOBUFS"), during: operation)
            }
            let isFirst = state.outgoing.isEmpty
            state.outgoing.append(packet)
            // A packet must not overtake those that wait already.
            guard isFirst, let failure = flush(&state) else { return nil }
            // What the other side has sent before is still received, and then its end.
            state.sendFailure = failure
            state.outgoing.removeAll()
            return failure
        }
        if let failure { throw failure }
    }

    func drained() async throws(RadioError) {
        let cancelled = RadioError(.cancelled, during: operation)
        try await state.answer(ifCancelled: .failure(cancelled)) { $0.drainage }.get()
    }

    func hangUp(_ reason: RadioError) { finish(reason) }

    func close() { finish(RadioError(.closedLocally, during: operation)) }

    // MARK: - On the I/O thread

    func ready(_ readiness: Readiness) {
        if readiness.contains(.writable) {
            let (failure, waiters) = state.withLock { state -> (RadioError?, DrainWaiters) in
                let failure = flush(&state)
                guard failure == nil, state.outgoing.isEmpty else { return (failure, .init()) }
                return (nil, state.waiters.takeAll())
            }
            waiters.resume(returning: .success(()))
            if let failure { return finish(failure) }
        }
        // The end is found by receiving, after all octets before it.
        if !readiness.isDisjoint(with: [.readable, .hungUp, .failed]) { receivePiece() }
    }

    func ioThreadEnded(_ reason: IOThread.End) {
        switch reason {
        case .stopped: close()
        case .failed(let error): finish(RadioError(error, in: .transport, call: "epoll_wait", during: operation))
        }
    }

    /// Receives one piece, so that other channels get their turn; epoll reports what is left.
    private func receivePiece() {
        let piece: Result<[UInt8], RadioError>? = state.withLock { state in
            guard state.descriptor != nil, !state.gate.isPaused else { return nil }
            state.gate.receiving()
            do throws(Errno) {
                guard let piece = try state.descriptor?.readSome(atMost: Self.pieceLength) else { return nil }
                guard !piece.isEmpty else { return .failure(RadioError(.controllerGone, during: operation)) }
                if kind == .tcp { state.descriptor?.acknowledgeAtOnce() }
                return .success(piece)
            } catch .wouldBlock {
                return nil
            } catch {
                return .failure(RadioError(error, in: .transport, call: "read", during: operation))
            }
        }
        switch piece {
        case .success(let piece)?: if !received.push(piece) { pauseReceiving() }
        case .failure(let error)?: finish(error)
        case nil: break
        }
    }

    private func pauseReceiving() {
        state.withLock { state in
            guard state.gate.queueFilled() else { return }
            updateInterest(&state)
        }
    }

    // MARK: - From anywhere

    private func resumeReceiving() {
        state.withLock { state in
            guard state.gate.roomMade() else { return }
            updateInterest(&state)
        }
    }

    /// Sends what waits, as far as the kernel has room.
    private func flush(_ state: inout State) -> RadioError? {
        while let packet = state.outgoing.first {
            do throws(Errno) {
                state.sentOctets +=
                    try state.descriptor?.writeSome(packet[state.sentOctets...], isSocket: kind != .file) ?? 0
            } catch .wouldBlock {
                updateInterest(&state)
                return nil
            } catch {
                return RadioError(error, in: .transport, call: "write", during: operation)
            }
            guard state.sentOctets == packet.count else { continue }
            state.sentOctets = 0
            state.outgoing.removeFirst()
        }
        updateInterest(&state)
        return nil
    }

    private func updateInterest(_ state: inout State) {
        guard let registration = state.registration else { return }
        var interest: Readiness = []
        if !state.gate.isPaused { interest.formUnion(.readable) }
        if !state.outgoing.isEmpty { interest.formUnion(.writable) }
        // Without interest in reading, epoll would report a hang-up again and again.
        if interest.isEmpty { ioThread.mute(registration) } else { ioThread.change(registration, to: interest) }
    }

    /// Ends the channel. Only the first call has an effect.
    private func finish(_ error: RadioError) {
        let waiters = state.withLock { state -> DrainWaiters in
            guard state.end == nil else { return .init() }
            state.end = error
            // Before the descriptor is closed, because its number may be reused at once.
            if let registration = state.registration { ioThread.remove(registration) }
            state.registration = nil
            state.descriptor = nil
            state.outgoing.removeAll()
            return state.waiters.takeAll()
        }
        received.finish(error)
        waiters.resume(returning: .failure(error))
    }
}

extension OwnedFileDescriptor {
    /// Acknowledges what comes next at once. The kernel forgets the option after a while.
    fileprivate borrowing func acknowledgeAtOnce() {
        // Slower without it, and right.
        try? setOption(Int32(IPPROTO_TCP), TCP_QUICKACK, Int32(1))
    }

    /// Reads what is there, at most `limit` octets; none at the end. Throws `wouldBlock` if there is nothing yet.
    fileprivate borrowing func readSome(atMost limit: Int) throws(Errno) -> [UInt8] {
        let descriptor = rawValue
        return try withUnsafeTemporaryAllocation(byteCount: limit, alignment: 1) { buffer throws(Errno) in
            let count = try systemCall { read(descriptor, buffer.baseAddress, limit) }
            return [UInt8](UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    /// Writes as many octets as there is room for, and returns their number. Throws `wouldBlock` if there is none.
    fileprivate borrowing func writeSome(_ octets: ArraySlice<UInt8>, isSocket: Bool) throws(Errno) -> Int {
        let descriptor = rawValue
        return try systemCall {
            octets.withUnsafeBytes { octets in
                // On a socket, so that the end of the other side is an error, and no signal.
                isSocket
                    ? blectl_send(descriptor, octets.baseAddress, octets.count)
                    : write(descriptor, octets.baseAddress, octets.count)
            }
        }
    }
}
