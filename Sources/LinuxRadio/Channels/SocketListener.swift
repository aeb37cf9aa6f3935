// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost
import CBlueZ
import Glibc
import Synchronization

/// A listening packet socket. Each of its connections becomes a channel.
///
/// The I/O thread accepts connections and puts them into a queue. One lock guards all state, the descriptor included.
final class SocketListener<Channel: Sendable>: ReadinessHandler {
    typealias MakeChannel = @Sendable (consuming OwnedFileDescriptor) throws(RadioError) -> Channel

    private struct State: ~Copyable {
        /// `nil` once the listener has ended.
        var descriptor: OwnedFileDescriptor?
        var registration: IOThread.Registration?
        /// A descriptor in reserve. When the process has no descriptor left, it is closed so that a central can be
        /// accepted and disconnected. Otherwise epoll would report the waiting central again and again.
        var spare: OwnedFileDescriptor?
    }

    /// The number of accepted centrals that wait for `accept`. Beyond it the oldest is disconnected.
    private static var queueLimit: Int { 64 }
    /// The number of centrals that one listener accepts before other sockets get their turn.
    private static var centralsPerTurn: Int { 16 }

    private let operation: String
    private let ioThread: IOThread
    private let makeChannel: MakeChannel
    private let onClose: @Sendable () -> Void
    private let accepted = BoundedQueue<Channel>(limit: queueLimit, overflow: .dropOldest)
    private let state: Mutex<State>

    /// Takes over a listening socket. `onClose` is called once, when listening has ended.
    init(
        _ descriptor: consuming OwnedFileDescriptor,
        _ operation: String,
        on ioThread: IOThread,
        onClose: @escaping @Sendable () -> Void = {},
        makeChannel: @escaping MakeChannel
    ) throws(RadioError) {
        self.operation = operation
        self.ioThread = ioThread
        self.onClose = onClose
        self.makeChannel = makeChannel
        state = Mutex(State(descriptor: descriptor))
        try RadioError.translating(.listening, "epoll_ctl", during: operation) { () throws(Errno) in
            // Under the lock, because the I/O thread may report the descriptor before its registration is stored.
            try state.withLock { state throws(Errno) in
                state.spare = Self.makeSpare()
                state.registration = try state.descriptor?.register(on: ioThread, .readable, for: self)
            }
        }
    }

    deinit { close() }

    func accept() async throws(RadioError) -> Channel { try await accepted.next() }

    /// Takes a channel that has come another way as one that was accepted.
    func add(_ channel: Channel) { accepted.push(channel) }

    func close() { finish(RadioError(.closedLocally, during: operation)) }

    /// Accepts the waiting centrals, a limited number at once so that other sockets of the I/O thread get their turn.
    func ready(_ readiness: Readiness) {
        for _ in 0..<Self.centralsPerTurn {
            do throws(Errno) {
                guard let socket = try acceptOne() else { return }
                // The link may be gone already. That says nothing about the next one.
                guard let channel = try? makeChannel(socket) else { continue }
                accepted.push(channel)
            } catch .wouldBlock {
                return
            } catch {
                switch error.rawValue {
                case EMFILE where sendOneAway(), ENFILE where sendOneAway(): continue
                // The central has gone before it was accepted: accept(2).
                case ECONNABORTED, EPROTO, ENOTCONN, ETIMEDOUT, ECONNRESET, EHOSTDOWN: continue
                default: return finish(RadioError(error, in: .listening, call: "accept", during: operation))
                }
            }
        }
    }

    func ioThreadEnded(_ reason: IOThread.End) {
        switch reason {
        case .stopped: close()
        case .failed(let error): finish(RadioError(error, in: .listening, call: "epoll_wait", during: operation))
        }
    }

    /// The next connection; `nil` if the listener has ended.
    private func acceptOne() throws(Errno) -> OwnedFileDescriptor? {
        try state.withLock { state throws(Errno) in
            guard let listening = state.descriptor?.rawValue else { return nil }
            return try OwnedFileDescriptor { blectl_accept(listening) }
        }
    }

    /// Accepts and disconnects one central with the reserved descriptor. `true` if a new reserve could be opened.
    private func sendOneAway() -> Bool {
        state.withLock { state in
            guard let listening = state.descriptor?.rawValue, state.spare != nil else { return false }
            state.spare = nil
            _ = try? OwnedFileDescriptor { blectl_accept(listening) }
            state.spare = Self.makeSpare()
            return state.spare != nil
        }
    }

    private static func makeSpare() -> OwnedFileDescriptor? {
        try? OwnedFileDescriptor { open("/dev/null", O_RDONLY | O_CLOEXEC) }
    }

    /// Ends the listener. Only the first call has an effect, so that all callers see the same reason. Centrals in the
    /// queue are disconnected.
    private func finish(_ error: RadioError) {
        let descriptor = state.withLock { state in
            if let registration = state.registration { ioThread.remove(registration) }
            state.registration = nil
            state.spare = nil
            return state.descriptor.take()
        }
        guard let descriptor else { return }
        // Before the socket is closed: afterwards another program may take its file for an abandoned one, and make it anew.
        onClose()
        _ = consume descriptor
        accepted.finish(error)
    }
}

/// A listener whose connections are credit-based channels.
typealias L2CAPSocketListener = SocketListener<any L2CAPChannel>

extension SocketListener: L2CAPListener where Channel == any L2CAPChannel {}

typealias ATTSocketListener = SocketListener<any ATTChannel>

extension SocketListener: ATTListener where Channel == any ATTChannel {}
