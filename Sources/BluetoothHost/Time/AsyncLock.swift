// SPDX-License-Identifier: MIT

import Synchronization

/// A lock that is held across suspensions, and granted in the order of arrival. A task that is cancelled while it waits
/// leaves the queue.
public final class AsyncLock: Sendable {
    private typealias Waiter = CheckedContinuation<Bool, Never>

    private struct State {
        var isHeld = false
        var waiters: [(id: Int, continuation: Waiter)] = []
        var lastWaiter = 0
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
        let id = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: Waiter) in
                let immediate = state.withLock { state -> Bool? in
                    if Task.isCancelled { return false }
                    guard state.isHeld else {
                        state.isHeld = true
                        return true
                    }
                    state.waiters.append((id, continuation))
                    return nil
                }
                if let immediate { continuation.resume(returning: immediate) }
            }
        } onCancel: {
            let waiter = state.withLock { state -> Waiter? in
                guard let index = state.waiters.firstIndex(where: { $0.id == id }) else { return nil }
                return state.waiters.remove(at: index).continuation
            }
            waiter?.resume(returning: false)
        }
    }

    /// Passes the lock to the next waiter directly, so that no later caller can overtake it.
    private func release() {
        let next = state.withLock { state -> Waiter? in
            guard !state.waiters.isEmpty else {
                state.isHeld = false
                return nil
            }
            return state.waiters.removeFirst().continuation
        }
        next?.resume(returning: true)
    }
}
