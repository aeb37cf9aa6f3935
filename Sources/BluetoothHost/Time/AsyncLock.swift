// SPDX-License-Identifier: MIT

import Synchronization

/// A lock that is held across suspensions, and granted in the order of arrival. A task that is cancelled while it waits
/// leaves the queue.
public final class AsyncLock: Sendable {
    private typealias Waiter = CheckedContinuation<Bool, Never>

    private struct State {
        var isHeld = false
        /// The queue. A place is without a continuation from the call until the task is suspended.
        var waiters: [(id: Int, continuation: Waiter?)] = []
        var lastWaiter = 0

        /// Takes the lock for the first in the queue if it is free. Returns the task to resume.
        mutating func granted() -> Waiter? {
            guard !isHeld, let waiter = waiters.first?.continuation else { return nil }
            waiters.removeFirst()
            isHeld = true
            return waiter
        }
    }

    private let state = Mutex(State())

    /// Creates a lock that is free.
    public init() {}

    /// Runs `body` while no other body runs. Throws `CancellationError` if the task is cancelled while it waits.
    public func withLock<Value>(_ body: () async throws -> Value) async throws -> Value {
        guard await acquire() else { throw CancellationError() }
        defer { release() }
        return try await body()
    }

    private func acquire() async -> Bool {
        // Taken before the handler is installed: its closure runs on another executor, where later callers may overtake.
        let id = state.withLock { state in
            state.lastWaiter += 1
            state.waiters.append((state.lastWaiter, nil))
            return state.lastWaiter
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: Waiter) in
                let next = state.withLock { state -> Waiter? in
                    // If it is gone, the task was cancelled in the meantime.
                    guard let index = state.waiters.firstIndex(where: { $0.id == id }) else { return continuation }
                    state.waiters[index].continuation = continuation
                    return nil
                }
                next?.resume(returning: false)
                state.withLock { $0.granted() }?.resume(returning: true)
            }
        } onCancel: {
            let (waiter, next) = state.withLock { state -> (Waiter?, Waiter?) in
                guard let index = state.waiters.firstIndex(where: { $0.id == id }) else { return (nil, nil) }
                let waiter = state.waiters.remove(at: index).continuation
                return (waiter, state.granted())
            }
            waiter?.resume(returning: false)
            next?.resume(returning: true)
        }
    }

    /// Passes the lock to the next waiter directly, so that no later caller can overtake it.
    private func release() {
        let next = state.withLock { state in
            state.isHeld = false
            return state.granted()
        }
        next?.resume(returning: true)
    }
}
