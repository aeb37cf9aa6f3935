// SPDX-License-Identifier: MIT

import Synchronization

/// A piece of work whose result several callers await: two reads that need a larger MTU cause one exchange.
///
/// The work starts at once and runs to its end in the scope even if all callers have left, because it may be possible
/// only once. A caller that is cancelled stops waiting.
final class SharedOperation<Value: Sendable>: Sendable {
    private typealias Outcome = Result<Value, any Error>
    private typealias Waiter = CheckedContinuation<Outcome, Never>

    private struct State {
        var outcome: Outcome?
        // A cancelled waiter is found by its number; the others are resumed in the order of their arrival.
        var waiters: [(id: Int, continuation: Waiter)] = []
        var lastWaiter = 0
    }

    private let state = Mutex(State())

    init(in scope: TaskScope, _ work: @escaping @Sendable () async throws -> Value) {
        let isStarted = scope.spawn { self.finish(await Result(catching: work)) }
        if !isStarted { finish(.failure(CancellationError())) }
    }

    /// The result of the work; throws `CancellationError` when the caller's task is cancelled.
    func value() async throws -> Value {
        let id = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: Waiter) in
                let immediate = state.withLock { state -> Outcome? in
                    if let outcome = state.outcome { return outcome }
                    // Checked under the lock that `leave` takes: either `leave` finds the waiter, or the waiter sees
                    // the cancellation.
                    if Task.isCancelled { return .failure(CancellationError()) }
                    state.waiters.append((id, continuation))
                    return nil
                }
                if let immediate { continuation.resume(returning: immediate) }
            }
        } onCancel: {
            leave(id)
        }
        return try outcome.get()
    }

    private func leave(_ id: Int) {
        let waiter = state.withLock { state -> Waiter? in
            guard let index = state.waiters.firstIndex(where: { $0.id == id }) else { return nil }
            return state.waiters.remove(at: index).continuation
        }
        waiter?.resume(returning: .failure(CancellationError()))
    }

    private func finish(_ outcome: Outcome) {
        let waiters = state.withLock { state in
            state.outcome = outcome
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.continuation.resume(returning: outcome) }
    }
}
