// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Synchronization

/// A socket that is waited for, once: until its non-blocking connect(2) has come to an end, or until there is something to
/// receive on it.
///
/// It ends exactly once: ready, failed, or abandoned. Abandoning closes the socket, whereupon the kernel takes its own
/// attempt back.
final class PendingConnection: ReadinessHandler {
    private struct State: ~Copyable {
        var descriptor: OwnedFileDescriptor?
        var registration: IOThread.Registration?
        var outcome: Result<Void, RadioError>?
        var waiter: CheckedContinuation<Result<Void, RadioError>, Never>?
    }

    /// What is waited for.
    enum Goal: Sendable {
        /// The connection stands.
        case connection
        /// Something can be received, be it the end.
        case news
    }

    private let operation: String
    private let goal: Goal
    private let ioThread: IOThread
    private let state: Mutex<State>

    /// Takes over a socket on which connect(2) said EINPROGRESS, or from which news is expected.
    init(
        _ descriptor: consuming OwnedFileDescriptor,
        _ operation: String,
        for goal: Goal = .connection,
        on ioThread: IOThread
    ) throws(RadioError) {
        self.operation = operation
        self.goal = goal
        self.ioThread = ioThread
        state = Mutex(State(descriptor: descriptor))
        try RadioError.translating(.connecting, "epoll_ctl", during: operation) { () throws(Errno) in
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

    /// The connected socket, or why there is none: it failed, the deadline came, the task was cancelled. To be asked once.
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

    /// Suspends until the connection stands or has failed; abandons it when the task is cancelled.
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
            // Before or after the continuation is in its place: the outcome is kept, and whoever comes second finds it.
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

    /// Gives up.
    func abandon() {
        settle(.failure(RadioError(.cancelled, during: operation)))
    }

    func ready(_ readiness: Readiness) {
        let outcome = state.withLock { state -> Result<Void, RadioError>? in
            guard state.outcome == nil else { return nil }
            if goal == .news { return .success(()) }
            if let error = state.descriptor?.takeError() {
                return .failure(RadioError(error, in: .connecting, call: "connect", during: operation))
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

    /// The first outcome counts.
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
