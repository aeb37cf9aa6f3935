// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Synchronization

/// A wait for one socket: until its non-blocking connect(2) has ended, or until it is readable.
///
/// The wait has one of three outcomes: ready, failed or abandoned. Abandoning closes the socket, and with it the
/// kernel's connection attempt.
final class PendingConnection: ReadinessHandler {
    private struct State: ~Copyable {
        var descriptor: OwnedFileDescriptor?
        var registration: IOThread.Registration?
        var outcome: Result<Void, RadioError>?
        var waiter: CheckedContinuation<Result<Void, RadioError>, Never>?
    }

    /// The condition that ends the wait.
    enum Goal: Sendable {
        case connection
        /// Something can be received, which includes the end of the connection.
        case news
    }

    private let operation: String
    private let goal: Goal
    private let phase: SocketPhase
    private let ioThread: IOThread
    private let state: Mutex<State>

    /// Takes over a socket on which connect(2) returned EINPROGRESS, or which will become readable.
    init(
        _ descriptor: consuming OwnedFileDescriptor,
        _ operation: String,
        for goal: Goal = .connection,
        phase: SocketPhase = .connecting,
        on ioThread: IOThread
    ) throws(RadioError) {
        self.operation = operation
        self.goal = goal
        self.phase = phase
        self.ioThread = ioThread
        state = Mutex(State(descriptor: descriptor))
        try RadioError.translating(.connecting, "epoll_ctl", during: operation) { () throws(Errno) in
            // Under the lock, because the I/O thread may report the descriptor before its registration is stored.
            try state.withLock { state throws(Errno) in
                state.registration = try state.descriptor?.register(
                    on: ioThread,
                    goal == .news ? .readable : .writable,
                    for: self
                )
            }
        }
    }

    deinit { abandon() }

    /// The connected socket. Throws if the attempt fails, the deadline passes or the task is cancelled. Must be called
    /// once.
    func socket(by deadline: Instant, _ time: any TimeSource) async throws(RadioError) -> OwnedFileDescriptor {
        do {
            try await withDeadline(deadline, time, operation: operation) { try await self.established() }
        } catch let error as RadioError {
            throw error
        } catch is DeadlineExceeded {
            throw RadioError(.connectTimedOut, during: operation)
        } catch {
            throw RadioError(.cancelled, during: operation)
        }
        guard let socket = takeDescriptor() else { throw RadioError(.closedLocally, during: operation) }
        return socket
    }

    /// Suspends until the outcome is known; abandons the wait if the task is cancelled.
    private func established() async throws(RadioError) {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let outcome = state.withLock { state in
                    if state.outcome == nil { state.waiter = continuation }
                    return state.outcome
                }
                if let outcome { continuation.resume(returning: outcome) }
            }
        } onCancel: {
            // This may run before or after the continuation is stored. The outcome is kept, so that the later one finds
            // it.
            abandon()
        }
        try result.get()
    }

    private func takeDescriptor() -> OwnedFileDescriptor? {
        state.withLock { state in
            guard case .success? = state.outcome else { return nil }
            return state.descriptor.take()
        }
    }

    /// Abandons the wait, and closes the socket.
    func abandon() {
        settle(.failure(RadioError(.cancelled, during: operation)))
    }

    func ready(_ readiness: Readiness) {
        let outcome = state.withLock { state -> Result<Void, RadioError>? in
            guard state.outcome == nil else { return nil }
            if goal == .news { return .success(()) }
            // Before the readiness is looked at: a connect(2) that has failed makes the socket writable, too.
            if let error = state.descriptor?.takeError() {
                return .failure(RadioError(error, in: phase, call: "connect", during: operation))
            }
            if readiness.contains(.hungUp) { return .failure(RadioError(.connectFailed(nil), during: operation)) }
            return readiness.contains(.writable) ? .success(()) : nil
        }
        if let outcome { settle(outcome) }
    }

    func ioThreadEnded(_ reason: IOThread.End) {
        switch reason {
        case .stopped:
            settle(.failure(RadioError(.closedLocally, during: operation)))
        case .failed(let error):
            settle(.failure(RadioError(error, in: .connecting, call: "epoll_wait", during: operation)))
        }
    }

    /// Sets the outcome; only the first call has an effect.
    private func settle(_ outcome: Result<Void, RadioError>) {
        let waiter = state.withLock { state -> CheckedContinuation<Result<Void, RadioError>, Never>? in
            guard state.outcome == nil else { return nil }
            state.outcome = outcome
            if let registration = state.registration { ioThread.remove(registration) }
            state.registration = nil
            if case .failure = outcome { state.descriptor = nil }
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(returning: outcome)
    }
}
