// SPDX-License-Identifier: GPL-2.0-or-later

import Synchronization

/// One piece of work whose result several callers wait for: two reads that need one connection cause one connection.
///
/// The work starts at once and runs in the scope. A caller that is cancelled stops waiting; when the last one has gone the
/// work itself is cancelled, and its result is for nobody, unless it is to go on without callers.
final class SharedOperation<Value: Sendable>: Sendable {
    private typealias Waiter = CheckedContinuation<Result<Value, any Error>, Never>

    private struct State {
        var result: Result<Value, any Error>?
        var waiters: [(id: Int, continuation: Waiter)] = []
        var lastWaiter = 0
        var task: ScopedTask?
        var isAbandoned = false
    }

    private let state = Mutex(State())
    private let endsWithLastCaller: Bool

    /// Starts the work.
    init(in scope: TaskScope, endsWithLastCaller: Bool = true, _ work: @escaping @Sendable () async throws -> Value) {
        self.endsWithLastCaller = endsWithLastCaller
        let task = scope.spawnCancellable {
            let result: Result<Value, any Error>
            do {
                result = .success(try await work())
            } catch {
                result = .failure(error)
            }
            self.finish(result)
        }
        state.withLock { $0.task = task }
    }

    /// Whether the work was cancelled because nobody waited for it.
    var isAbandoned: Bool { state.withLock { $0.isAbandoned } }

    /// The result of the work; throws `CancellationError` when the caller's task is cancelled.
    func value() async throws -> Value {
        let id = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: Waiter) in
                let immediate = state.withLock { state -> Result<Value, any Error>? in
                    if let result = state.result { return result }
                    if Task.isCancelled || state.isAbandoned { return .failure(CancellationError()) }
                    state.waiters.append((id, continuation))
                    return nil
                }
                if let immediate { continuation.resume(returning: immediate) }
            }
        } onCancel: {
            leave(id)
        }
        return try result.get()
    }

    private func leave(_ id: Int) {
        let (waiter, abandoned) = state.withLock { state -> (Waiter?, ScopedTask?) in
            guard let index = state.waiters.firstIndex(where: { $0.id == id }) else { return (nil, nil) }
            let waiter = state.waiters.remove(at: index).continuation
            guard state.waiters.isEmpty, endsWithLastCaller else { return (waiter, nil) }
            state.isAbandoned = true
            return (waiter, state.task)
        }
        waiter?.resume(returning: .failure(CancellationError()))
        abandoned?.cancel()
    }

    private func finish(_ result: Result<Value, any Error>) {
        let waiters = state.withLock { state in
            state.result = result
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.continuation.resume(returning: result) }
    }
}
