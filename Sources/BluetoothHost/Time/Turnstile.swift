// SPDX-License-Identifier: GPL-2.0-or-later

import Synchronization

/// Admits one caller at a time, in the order of arrival. A caller that is cancelled while it waits leaves the queue.
final class Turnstile: Sendable {
    private typealias Waiter = CheckedContinuation<Bool, Never>

    private struct State {
        var isTaken = false
        var waiters: [(id: Int, continuation: Waiter)] = []
        var lastWaiter = 0
    }

    private let state = Mutex(State())

    /// Runs `body` while no other caller runs. Throws `CancellationError` if the task is cancelled before its turn.
    func withTurn<Value>(_ body: () async throws -> Value) async throws -> Value {
        guard await enter() else { throw CancellationError() }
        defer { leave() }
        return try await body()
    }

    private func enter() async -> Bool {
        let id = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: Waiter) in
                let immediate = state.withLock { state -> Bool? in
                    if Task.isCancelled { return false }
                    guard state.isTaken else {
                        state.isTaken = true
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

    /// Passes the turn to the next waiter directly, so that no later caller can overtake it.
    private func leave() {
        let next = state.withLock { state -> Waiter? in
            guard !state.waiters.isEmpty else {
                state.isTaken = false
                return nil
            }
            return state.waiters.removeFirst().continuation
        }
        next?.resume(returning: true)
    }
}
